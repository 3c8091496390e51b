"""Memory of a character: learned from messages, kept consistent, told again."""
