"""API of the grimoire, one module per resource, with the reader and the inbox for other processes."""
