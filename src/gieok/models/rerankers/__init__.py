"""Rerankers: a question and texts in, a score for each text out."""
