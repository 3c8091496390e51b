"""Embedded store: one SQLite file, no extension required."""
