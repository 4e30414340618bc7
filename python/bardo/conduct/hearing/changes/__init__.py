"""Changes of what was heard: tasks that end, dates that move, orders and limits that are replaced."""
