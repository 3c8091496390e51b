"""Character cards: JSON, PNG and CHARX in and out, and the lorebook. Pure functions on bytes,
bounded before anything is read.
"""
