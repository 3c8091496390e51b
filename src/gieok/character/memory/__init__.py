"""What a character remembers: learned from messages, kept consistent, told again."""
