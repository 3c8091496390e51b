"""Stores: where documents, passages, keywords and vectors are kept."""
