"""Recall put in front of every prompt of a coding agent, and the records that people keep for it.

The modules that the hook imports say so: they use the standard library, and of it nothing that is slow to import
(`typing` 3 ms, `pathlib` 4, `dataclasses` 10, of the 20 that the hook has beyond Python's own start).
"""
