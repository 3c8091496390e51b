"""Accounts on an SQL database: what its backends share. What differs between them is in `rows`."""
