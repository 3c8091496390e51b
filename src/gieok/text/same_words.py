"""Whether a text stands whole in another one, word for word. Standard library, quick to import."""

import re

#: Words from which a text that stands whole in another one says the same: "yes" does not.
_FEWEST_WORDS = 3


def join_words(text: str) -> str:
    """Return the words of a text, lowered, with one space between them."""
    return " ".join(re.findall(r"\w+", text.lower()))


def stands_within(one: str, other: str) -> bool:
    """Say whether the shorter of two texts (of `join_words`) stands whole in the longer one.

    A text of one or two words says too little to be the same statement.
    """
    shorter, longer = sorted((one, other), key=len)
    return shorter.count(" ") + 1 >= _FEWEST_WORDS and f" {shorter} " in f" {longer} "
