"""Surfaces: where people and programs call operations.

Each surface is made from the table of operations in `gieok.commands`.
"""
