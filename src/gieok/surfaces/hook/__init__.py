"""`gieok hook EVENT`: the command that a coding agent runs at every prompt.

Whatever goes wrong, the hook prints nothing and exits with 0. It imports only modules of the
standard library that import quickly; a test asserts this.
"""
