"""A few memories, ranked and explained (spec 4)."""
