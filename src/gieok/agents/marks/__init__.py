"""Marks by which each host shows who speaks, as rows of a table.

`transcripts.speakers` reads the rows.
"""
