"""Rows of the table of settings, a module for each part that they set."""
