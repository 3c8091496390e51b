"""Processes of a home as their callers see them: how they are found, started and stopped."""
