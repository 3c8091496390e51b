"""The sidecar: watches transcripts, keeps every message, distils observations, writes active
memory.
"""
