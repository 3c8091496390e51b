"""Surfaces: where people and programs call commands.

Each surface is made from the table of operations in `gieok.commands`.
"""
