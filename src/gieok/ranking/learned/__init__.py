"""Fitted weights, as small files in this folder, and the functions that use them.

Each file names the embedding model whose vectors the weights were fitted on. Another
model's vectors are judged by no head.
"""
