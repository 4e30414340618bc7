"""Fast, verbatim, durable: sources, archive and inbox."""
