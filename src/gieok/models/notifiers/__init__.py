"""Ways to tell a person something."""
