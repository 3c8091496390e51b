"""Marks of Kilo, which says who speaks as opencode does."""

from gieok.agents.marks import opencode

MARKS = tuple(row._replace(host="kilo") for row in opencode.MARKS)
