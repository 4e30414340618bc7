"""Benchmarks of the Curator: streams with planted effects, and twenty years of markets."""
