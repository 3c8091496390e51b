"""Transcripts that agents keep in databases of their own."""
