"""What a language model adds: summaries, conversations, escalation."""
