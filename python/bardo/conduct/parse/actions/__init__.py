"""Actions: commands, calls and sentences, with their operations, fields, figures and places."""
