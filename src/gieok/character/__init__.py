"""A character that remembers its user: facts with validity, moments, episodes, and what they make
of a turn's context.
"""
