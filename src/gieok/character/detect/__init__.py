"""What one message of a user states, by rules: facts, plans, jokes, corrections."""
