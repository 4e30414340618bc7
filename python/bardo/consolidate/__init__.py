"""Consolidation (spec 3): draws facts from many episodes."""
