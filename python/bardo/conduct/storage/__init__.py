"""Storage of conduct in `conduct.db`: its tables, rows, and the mark that detects a replaced file."""
