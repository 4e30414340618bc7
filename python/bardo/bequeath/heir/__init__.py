"""Heirs: what of testaments they accept, adopt, and replay."""
