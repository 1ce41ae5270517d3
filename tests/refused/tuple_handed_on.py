"""Two scalars that go from one iteration to the next, assigned as a tuple."""

import numpy as np

from somd import dist, somd


@somd
def f(noise: dist[np.ndarray], draws: dist[np.ndarray]):
    chain = np.empty_like(noise)
    at, weight = 0.0, 0.0
    for t in range(len(noise)):
        tried = at + noise[t]
        found = -0.5 * tried * tried
        if draws[t] < found - weight:
            at, weight = tried, found
        chain[t] = at
    return chain
