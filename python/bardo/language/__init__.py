"""Asking a language model, where one is configured: within a budget, on the record, and never in the way of memory."""
