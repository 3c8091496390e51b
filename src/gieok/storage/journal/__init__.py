"""Journals: a folder per database.

The prompt hook reads this package too, so nothing is imported here.
"""

#: Prefix of the realm of kept values that holds the corrections of a scope's messages.
CORRECTIONS = "corrections:"
