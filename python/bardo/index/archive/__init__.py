"""LanceDB table of all episodes: search, rows, indexes and compaction."""
