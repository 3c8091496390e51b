"""Grammars of programming languages."""
