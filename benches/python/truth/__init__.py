"""What the Curator finds in streams of which it is known what there is to be found, and in twenty years of markets."""
