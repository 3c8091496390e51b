"""Character that remembers its user: facts with validity, moments and episodes.

The module also builds a turn's context from them.
"""
