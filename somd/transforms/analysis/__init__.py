"""What is true of a method: accesses, iteration domains, dependences, bounds, reductions, liveness."""
