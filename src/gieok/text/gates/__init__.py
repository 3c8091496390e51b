"""Gates: a user's rules about actions, read from words and compared with what a tool would do.

`statement` reads a sentence into an `ActionRule`, which `verdict` compares with a command line or
an edit. Both are pure and deterministic; the hook imports what compares, and never what reads.
"""
