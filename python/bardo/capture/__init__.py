"""Fast, verbatim, durable: sources, archive and inbox (spec 1)."""
