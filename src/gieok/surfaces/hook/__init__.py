"""`gieok hook EVENT`: what a coding agent runs at every prompt. Whatever goes wrong, it says
nothing and exits with 0.

Standard library only, and of it only what is quick to import; a test asserts it.
"""
