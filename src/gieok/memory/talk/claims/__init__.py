"""Finds claims that hold no more: replaced by a later statement, or with a stated end."""
