"""What many episodes teach (spec 3)."""
