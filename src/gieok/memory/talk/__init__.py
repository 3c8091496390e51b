"""What was said, as documents of turns, and which of its claims hold no more."""
