"""A function that is not written in Python."""

import numpy as np

from somd import dist, somd


absolute = somd(abs)
