"""The ribs. Each says only what is different about it; none imports another."""
