"""Finds what a message puts right of what was said just before, by purpose and language."""
