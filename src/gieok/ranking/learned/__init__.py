"""What was learned from data: weights as small files in this folder, and the functions that use
them.

Each file names the embedding model whose vectors it was fitted on. For another model there is no
map and no head.
"""
