"""Inheritance (spec 6): the testament of a death, and its heirs."""
