"""Models and processes that many tests use."""
