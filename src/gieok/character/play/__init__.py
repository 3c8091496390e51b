"""Plays conversation files through the service and measures what is remembered of them."""
