"""The testament as a file: container, parts, signature, and trust in its signer."""
