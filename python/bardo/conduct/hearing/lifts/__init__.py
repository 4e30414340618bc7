"""Lifts: messages that allow again what was forbidden, wholly or in part."""
