"""The embedded store: one SQLite file, no extension required."""
