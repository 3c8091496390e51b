"""Accounts on an SQL database: the code that all databases share.

The differences between databases are in `rows`.
"""
