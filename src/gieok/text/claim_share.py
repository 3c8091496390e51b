"""The share of a passage that a claim makes up. Standard library, quick to import."""

#: Largest share of a passage outside of its claim, where the passage says nothing else: a label, a
#: greeting, a date.
_REST_SHARE = 0.34


def is_whole_claim(words: str, text: str) -> bool:
    """Return whether a passage says nothing but the claim `words`, which stands in it."""
    letters = sum(map(str.isalnum, text))
    return letters - sum(map(str.isalnum, words)) <= _REST_SHARE * max(1, letters)
