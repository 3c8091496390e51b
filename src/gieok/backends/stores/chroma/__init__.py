"""`store: chroma`: the vector leg by Chroma."""
