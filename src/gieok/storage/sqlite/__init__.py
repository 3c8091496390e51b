"""SQLite files of ours: how they are opened, shared by threads and processes, and what their errors
mean.
"""
