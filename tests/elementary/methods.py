"""Methods that take elementary functions of every element: one row of the result for each function."""

from __future__ import annotations

import math

import numpy as np

from somd import dist, somd

A = dist[np.ndarray]
#: the rows of `of_one` and `of_two`; those of float32 lack what NumPy does not have
_ONE = """acos acosh asin asinh atan atanh cbrt cos cosh exp exp2 expm1 log log10 log1p log2 sin sinh tan tanh
erf erfc gamma lgamma"""
ONE = _ONE.split()
TWO = ("pow", "atan2", "hypot")


@somd
def of_one(a: A, out: np.ndarray) -> None:
    for i in range(len(a)):
        out[0, i] = math.acos(a[i])
        out[1, i] = math.acosh(a[i])
        out[2, i] = math.asin(a[i])
        out[3, i] = math.asinh(a[i])
        out[4, i] = math.atan(a[i])
        out[5, i] = math.atanh(a[i])
        out[6, i] = math.cbrt(a[i])
        out[7, i] = math.cos(a[i])
        out[8, i] = math.cosh(a[i])
        out[9, i] = math.exp(a[i])
        out[10, i] = math.exp2(a[i])
        out[11, i] = math.expm1(a[i])
        out[12, i] = math.log(a[i])
        out[13, i] = math.log10(a[i])
        out[14, i] = math.log1p(a[i])
        out[15, i] = math.log2(a[i])
        out[16, i] = math.sin(a[i])
        out[17, i] = math.sinh(a[i])
        out[18, i] = math.tan(a[i])
        out[19, i] = math.tanh(a[i])
        out[20, i] = math.erf(a[i])
        out[21, i] = math.erfc(a[i])
        out[22, i] = math.gamma(a[i])
        out[23, i] = math.lgamma(a[i])


@somd
def of_one_single(a: A, out: np.ndarray) -> None:
    for i in range(len(a)):
        out[0, i] = np.arccos(a[i])
        out[1, i] = np.arccosh(a[i])
        out[2, i] = np.arcsin(a[i])
        out[3, i] = np.arcsinh(a[i])
        out[4, i] = np.arctan(a[i])
        out[5, i] = np.arctanh(a[i])
        out[6, i] = np.cbrt(a[i])
        out[7, i] = np.cos(a[i])
        out[8, i] = np.cosh(a[i])
        out[9, i] = np.exp(a[i])
        out[10, i] = np.exp2(a[i])
        out[11, i] = np.expm1(a[i])
        out[12, i] = np.log(a[i])
        out[13, i] = np.log10(a[i])
        out[14, i] = np.log1p(a[i])
        out[15, i] = np.log2(a[i])
        out[16, i] = np.sin(a[i])
        out[17, i] = np.sinh(a[i])
        out[18, i] = np.tan(a[i])
        out[19, i] = np.tanh(a[i])


@somd
def of_two(a: A, b: A, out: np.ndarray) -> None:
    for i in range(len(a)):
        out[0, i] = math.pow(a[i], b[i])
        out[1, i] = math.atan2(a[i], b[i])
        out[2, i] = math.hypot(a[i], b[i])


@somd
def of_two_single(a: A, b: A, out: np.ndarray) -> None:
    for i in range(len(a)):
        out[0, i] = np.power(a[i], b[i])
        out[1, i] = np.arctan2(a[i], b[i])
        out[2, i] = np.hypot(a[i], b[i])


@somd
def literal_powers(a: A, out: np.ndarray) -> None:
    for i in range(len(a)):
        out[0, i] = a[i] ** 2
        out[1, i] = a[i] ** -1
        out[2, i] = a[i] ** 0.5
        out[3, i] = a[i] ** 3
        out[4, i] = pow(a[i], 4)
        out[5, i] = np.power(a[i], 7)
        out[6, i] = a[i] ** -2.5
        x = a[i]
        x **= 2
        out[7, i] = x
        y = a[i]
        y **= 0.5
        out[8, i] = y


#: the exponents of the rows of `literal_powers`
EXPONENTS = (2.0, -1.0, 0.5, 3.0, 4.0, 7.0, -2.5, 2.0, 0.5)


@somd
def waves(a: A, frequencies: np.ndarray, out: A) -> None:
    """An inner loop that is run in strips."""
    for i in range(len(a)):
        total = 0.0
        for k in range(len(frequencies)):
            total += math.sin(frequencies[k] * a[i]) - math.cos(a[i] + frequencies[k])
        out[i] = total
