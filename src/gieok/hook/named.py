"""What of a prompt's own words a memory has: how many of them, and whether the prompt names its
title or a tag.

Imported by the hook: see the package.
"""

import re

from gieok.hook.question import COMMON
from gieok.text.keywords import keyword_tokens, query_tokens

_WORD = r"\w+"
_MOST_WORDS = 60


def content_words(prompt: str) -> list[tuple[str, ...]]:
    """Return the tokens of each word of a prompt that says what it is about, each word once."""
    found: dict[tuple[str, ...], None] = {}
    asked = query_tokens(f"{prompt}?")  # interrogatives and endings are no content
    for word in re.findall(_WORD, prompt)[:_MOST_WORDS]:
        tokens = tuple(token for token in keyword_tokens(word) if token in asked and len(token) > 1)
        if tokens and tokens[0] not in COMMON and tokens not in found:
            found[tokens] = None
    return list(found)


def count_shared_words(words: "list[tuple[str, ...]]", text: str) -> int:
    """Return how many words of a prompt a text has; of a Korean word its beginning, under whatever
    ending.
    """
    held = set(keyword_tokens(text))
    return sum(1 for tokens in words if tokens[0] in held)


def is_named(words: "list[tuple[str, ...]]", title: str, tags: str, text: str) -> bool:
    """Say whether a prompt names a memory: a whole tag of it, or all of a title that is not merely
    its first words.
    """
    said = {token for tokens in words for token in tokens}
    names = [tag for tag in re.split(r"[,;]", tags) if tag.strip()]
    if title and not " ".join(text.split()).startswith(title.rstrip("….").strip()):
        names.append(title)
    return any(tokens and said.issuperset(tokens) for tokens in map(_find_distinct_tokens, names))


def _find_distinct_tokens(name: str) -> "list[str]":
    tokens = keyword_tokens(name)
    return [token for token in tokens if token not in COMMON] and tokens
