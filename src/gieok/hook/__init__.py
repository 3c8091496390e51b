"""Memory injected into every prompt of a coding agent, and the records that people keep.

Modules that the hook imports say so. They use the standard library, and nothing of it that is slow
to import (`typing` 3 ms, `pathlib` 4, `dataclasses` 10, of the hook's 20 beyond Python's own
start).
"""
