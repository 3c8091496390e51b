"""Messages → observations, by a model or by rules."""
