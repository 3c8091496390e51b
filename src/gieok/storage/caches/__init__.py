"""Caches of windows: the recent messages of conversations."""
