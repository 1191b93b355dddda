"""Environments: worlds that speak the contract of `mimir_learn.symbols.environment`."""
