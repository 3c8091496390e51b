"""One process that watches transcripts, observes them and keeps active memory up to date.
Everything works without it.
"""
