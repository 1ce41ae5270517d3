"""No function at all."""

import numpy as np

from somd import dist, somd


double = somd(2.0)
