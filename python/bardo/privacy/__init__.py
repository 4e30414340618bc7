"""Private data: finds secrets, identities and private numbers in a text."""
