"""Conversations as documents of turns, and which of the claims in them hold no more."""
