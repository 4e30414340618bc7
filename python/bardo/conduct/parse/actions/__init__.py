"""Parts of actions: commands, operations, fields, figures, times and places."""
