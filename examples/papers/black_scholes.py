"""Patterns, BlackScholes: a map whose function gives a pair, a call and a put option's price for each stock price.

The cumulative normal distribution is the polynomial of Abramowitz and Stegun, 26.2.17, as in the vendors' samples.
"""

import numpy as np

from somd import dist, somd


def normal(x: np.float32) -> np.float32:
    k = 1.0 / (1.0 + 0.2316419 * abs(x))
    poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.39894228040143267794 * np.exp(-0.5 * x * x) * poly
    return 1.0 - tail if x > 0.0 else tail


@somd
def black_scholes(
    price: dist[np.ndarray], strike: np.float32, years: np.float32, rate: np.float32, volatility: np.float32
) -> tuple[np.ndarray, np.ndarray]:
    call = np.empty_like(price)
    put = np.empty_like(price)
    for i in range(len(price)):
        spread = volatility * np.sqrt(years)
        d1 = (np.log(price[i] / strike) + (rate + 0.5 * volatility * volatility) * years) / spread
        d2 = d1 - spread
        discounted = strike * np.exp(-rate * years)
        call[i] = price[i] * normal(d1) - discounted * normal(d2)
        put[i] = discounted * normal(-d2) - price[i] * normal(-d1)
    return call, put
