import math

import numpy as np

from somd import dist, somd


@somd
def entropy(x: dist[np.ndarray], m: int) -> float:
    counts = np.zeros(math.factorial(m))
    for i in range(len(x)):
        counts[i % len(counts)] += x[i]
    return (counts * np.log(counts)).sum()


entropy(np.ones(3), 2)
