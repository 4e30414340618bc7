"""Content that may cross a death, each sort with its worth to an heir."""
