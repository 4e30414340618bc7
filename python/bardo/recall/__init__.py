"""A few memories, ranked and explained."""
