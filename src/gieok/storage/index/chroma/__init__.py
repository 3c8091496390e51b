"""`store: chroma`: vector search by Chroma."""
