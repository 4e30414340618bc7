"""What survives a death (spec 6)."""
