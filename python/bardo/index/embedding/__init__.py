"""Turns texts into vectors: engines, embedders, sentences, drift, and the migration to another model."""
