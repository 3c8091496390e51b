"""Features that need a language model: summaries, conversations, escalation."""
