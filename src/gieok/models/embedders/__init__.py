"""Backends that turn text into vectors."""
