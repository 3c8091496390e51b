"""Solver: links the facts of all files into value flows, calls and their certainty."""
