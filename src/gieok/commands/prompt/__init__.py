"""Commands around the hooks of coding agents."""
