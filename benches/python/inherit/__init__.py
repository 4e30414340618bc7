"""InheritBench: how much of a life an heir can answer for."""
