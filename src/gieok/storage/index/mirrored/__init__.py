"""Stores whose vectors are mirrored in another library.

SQLite is the truth, the library holds a mirror of its vectors.
"""
