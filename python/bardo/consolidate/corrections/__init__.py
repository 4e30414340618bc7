"""Corrections: which newer clause ends or disputes an older one."""
