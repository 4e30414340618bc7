"""Queries to an optional language model: within a budget, recorded, and never blocking the memory."""
