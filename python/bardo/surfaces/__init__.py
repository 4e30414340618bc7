"""Where people and programs meet a grimoire."""
