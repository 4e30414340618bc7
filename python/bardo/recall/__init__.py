"""Recall of ranked and explained memories."""
