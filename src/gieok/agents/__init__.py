"""Coding agents, one file each.

A file says where the agent writes, how its transcript is read, what an install changes, and how
`gieok doctor` proves the install.
"""
