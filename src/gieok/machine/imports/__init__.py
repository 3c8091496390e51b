"""Readers of what other programs remembered: a file and a row in `gieok.registry` each."""
