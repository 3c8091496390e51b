"""Places as text: Gieok's home, Git checkouts, projects, and the scopes of their memory.

Standard library without `pathlib`, which is too slow for the hook.
"""
