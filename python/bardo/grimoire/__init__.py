"""The grimoire and its verbs, one module per resource; the reader and the inbox for other processes."""
