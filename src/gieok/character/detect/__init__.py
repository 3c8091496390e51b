"""Rules that find what one user message states: facts, plans, jokes, corrections."""
