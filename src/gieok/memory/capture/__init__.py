"""Transcripts of agents → journal: every line exactly once, also after a kill at any moment."""
