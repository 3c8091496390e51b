"""Readers of other programs' memory: each is one file here and one row in `gieok.registry`."""
