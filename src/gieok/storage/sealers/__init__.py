"""Encryption at rest, in formats that other programs open too."""
