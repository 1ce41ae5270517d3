"""Black-Scholes

Prices of European options. Helper functions are plain Python.

Prints:

    call 10.4506, put 5.5735
"""

import math

import numpy as np

from somd import dist, somd


def normal(x: float) -> float:
    """The cumulative distribution function of the normal distribution."""
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


@somd
def prices(
    spot: dist[np.ndarray], strike: dist[np.ndarray], years: dist[np.ndarray], rate: float, volatility: float
) -> tuple[np.ndarray, np.ndarray]:
    call = np.empty_like(spot)
    put = np.empty_like(spot)
    for i in range(len(spot)):
        spread = volatility * math.sqrt(years[i])
        d1 = (math.log(spot[i] / strike[i]) + (rate + 0.5 * volatility**2) * years[i]) / spread
        d2 = d1 - spread
        discounted = strike[i] * math.exp(-rate * years[i])
        call[i] = spot[i] * normal(d1) - discounted * normal(d2)
        put[i] = discounted * normal(-d2) - spot[i] * normal(-d1)
    return call, put


def main() -> None:
    spot = np.linspace(50.0, 150.0, 100_001)
    strike, years = np.full_like(spot, 100.0), np.ones_like(spot)
    call, put = prices(spot, strike, years, 0.05, 0.2)
    print(f"call {call[50_000]:.4f}, put {put[50_000]:.4f}")


if __name__ == "__main__":
    main()
