"""Background process that watches transcripts, observes them and updates active memory.

Everything works without the daemon.
"""
