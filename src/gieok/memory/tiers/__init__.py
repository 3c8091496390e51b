"""Tiers of observed memories: which memories move, when, in which form, and back."""
