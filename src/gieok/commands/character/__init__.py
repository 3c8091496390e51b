"""Commands on characters that remember."""
