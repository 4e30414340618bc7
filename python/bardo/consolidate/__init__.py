"""Consolidation: draws facts from many episodes."""
