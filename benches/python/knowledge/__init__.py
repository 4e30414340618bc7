"""Benchmarks of knowledge: corrections, compatible statements, profiles, and rules in decisions."""
