"""Search over an agent's memory files."""
