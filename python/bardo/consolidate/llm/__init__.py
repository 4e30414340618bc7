"""Extraction by a language model: its questions, its answers, and their check."""
