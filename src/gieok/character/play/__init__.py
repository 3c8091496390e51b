"""Plays conversation files through the service and measures what was remembered."""
