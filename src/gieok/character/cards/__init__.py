"""Character cards in JSON, PNG and CHARX, read and written, and the lorebook.

Pure functions on bytes; sizes are checked before anything is read.
"""
