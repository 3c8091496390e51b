"""One reader per language: source text → facts."""
