"""One package or module per language, and the table of all languages.

Each has a reader (source text → facts), its imports, and models of its libraries.
"""
