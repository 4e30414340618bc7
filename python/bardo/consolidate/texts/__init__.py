"""Facts from texts: the sentences worth keeping, and what they state."""
