"""Puts Gieok into a coding agent's own settings, and takes it out again."""
