"""One file per agent: where it writes, how its transcript reads, what an install changes, how
doctor proves it.
"""
