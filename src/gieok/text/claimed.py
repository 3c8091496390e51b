"""How much of a passage a claim is. Standard library, quick to import."""

#: What a claim leaves of a passage that is that claim and no other: a label, a greeting, a date.
_REST_SHARE = 0.34


def is_whole_claim(words: str, text: str) -> bool:
    """Say whether a passage says nothing but a claim of it."""
    letters = sum(map(str.isalnum, text))
    return letters - sum(map(str.isalnum, words)) <= _REST_SHARE * max(1, letters)
