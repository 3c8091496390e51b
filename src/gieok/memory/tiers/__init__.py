"""Tiers of what was observed: what moves, when, in which form, and both ways."""
