"""Tiers: what leaves hot for files that people can read, and comes back."""
