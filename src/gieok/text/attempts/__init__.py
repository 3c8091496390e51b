"""Attempts: commands as they were tried, what changed between two forms, what an error said."""
