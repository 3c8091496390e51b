"""One room per language: its reader (source text → facts), its imports, what its libraries do; and
the table of all.
"""
