"""Embedding of texts: engines, embedders, sentences, drift, and migration to another model."""
