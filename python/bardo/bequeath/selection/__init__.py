"""Selection of what crosses, and the order in which a dying agent saves it."""
