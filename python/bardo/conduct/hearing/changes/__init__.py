"""Later changes: tasks that end, dates that move, and orders and limits that are replaced."""
