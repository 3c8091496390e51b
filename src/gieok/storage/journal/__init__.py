"""Journals: a folder per backend. The prompt hook reads this too, so nothing is imported here."""

#: Prefix of the realm of kept values that holds the corrections of a scope's messages.
CORRECTIONS = "corrections:"
