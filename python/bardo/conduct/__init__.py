"""What was decided and must not be repeated (spec 8): kept in `conduct.db`, which any number of processes may open.

`gate` has the verbs. The room lies below the grimoire, so that a deletion reaches `conduct.db`.
"""
