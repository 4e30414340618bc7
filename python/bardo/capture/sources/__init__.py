"""Readers of sources that others write: transcripts, notes and tables."""
