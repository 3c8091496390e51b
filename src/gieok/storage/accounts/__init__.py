"""Accounts of a service: users, characters, API keys and points.

A module per database; the SQL statements are written once, for all databases.
"""
