"""Injection of memory into every prompt of a coding agent, and the records that people keep.

Modules that the hook imports say so. They use only those parts of the standard library that import
quickly (`typing` takes 3 ms, `pathlib` 4, `dataclasses` 10, of the hook's 20 beyond Python's own
start).
"""
