"""Stores whose vectors are also kept by another library: SQLite is the truth, the library a mirror
of its vectors.
"""
