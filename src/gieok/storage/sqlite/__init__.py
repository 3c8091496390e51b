"""Gieok's SQLite files: opening, sharing by threads and processes, translation of errors."""
