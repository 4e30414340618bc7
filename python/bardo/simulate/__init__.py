"""Simulated generations of agents, to measure whether inheritance helps: worlds, arms, runs, statistics, report."""
