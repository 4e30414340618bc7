"""Conduct: decisions, rejections and rules in `conduct.db`, which any number of processes may open.

`gate` has the verbs. The room lies below the grimoire, so that a deletion reaches `conduct.db`.
"""
