"""A turn of a conversation, and what a model reads of the talk beside it."""
