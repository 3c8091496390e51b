"""The questions of `gieok setup`, what they find out before, and what they change."""
