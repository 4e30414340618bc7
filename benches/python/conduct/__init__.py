"""Benchmarks of conduct: recognition of rejected actions, hearing, convergence of rules, cost of a gate."""
