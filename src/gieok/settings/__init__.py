"""Settings: what can be set, what is set, and where; and what a person trusts of a project."""
