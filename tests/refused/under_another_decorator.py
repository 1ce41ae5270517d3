"""A decorator that replaces the function: the compiler would translate what it wraps."""

import functools

import numpy as np

from somd import dist, somd


def twice(function):
    @functools.wraps(function)
    def wrapper(a):
        function(a)
        function(a)

    return wrapper


@somd
@twice
def double(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * a[i]
