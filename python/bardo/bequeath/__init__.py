"""Inheritance: the testament of a death, and its heirs."""
