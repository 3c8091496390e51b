"""The default journal: one SQLite file next to the store."""
