"""Privacy: finds what must not leave an agent, and redacts it."""
