"""Rejections: their wording, and what they forbid."""
