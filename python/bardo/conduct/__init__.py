"""Conduct: decisions, rejections and rules in `conduct.db`, which any number of processes may open.

The API is in `gate`. The package is a layer below the grimoire, so that a deletion reaches `conduct.db`.
"""
