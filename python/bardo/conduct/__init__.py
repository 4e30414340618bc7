"""What was decided and must not be repeated (spec 8): kept in `conduct.db`, which any number of processes may open.

It lies this low so that a deletion reaches it; the verbs are in `bardo.gating`.
"""
