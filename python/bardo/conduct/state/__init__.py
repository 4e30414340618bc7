"""Changes of state and rules: new entries, merges, corrections, and the checklist of a death."""
