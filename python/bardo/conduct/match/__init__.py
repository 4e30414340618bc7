"""Compares actions with rejections, rules and entries: by data, by operations, by words, and by a regression."""
