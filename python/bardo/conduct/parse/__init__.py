"""Parses actions and rejections: commands, options, operations, places, conditions, and what a text forbids."""
