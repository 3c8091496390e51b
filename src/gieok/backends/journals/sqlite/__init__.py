"""The default journal: one SQLite file beside the store."""
