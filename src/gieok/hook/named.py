"""Words that a prompt shares with a memory: their number, and whether they name it.

A prompt names a memory by its title or a tag. Imported by the hook: see the package.
"""

import re

from gieok.hook.question import COMMON
from gieok.text.keywords import keyword_tokens, query_tokens

_WORD = r"\w+"
_MOST_WORDS = 60


def content_words(prompt: str) -> list[tuple[str, ...]]:
    """Return the tokens of each content word of a prompt, each word once."""
    words: dict[tuple[str, ...], None] = {}
    content_tokens = query_tokens(f"{prompt}?")  # interrogatives and endings are no content
    for word in re.findall(_WORD, prompt)[:_MOST_WORDS]:
        tokens = tuple(
            token for token in keyword_tokens(word) if token in content_tokens and len(token) > 1
        )
        if tokens and tokens[0] not in COMMON and tokens not in words:
            words[tokens] = None
    return list(words)


def count_shared_words(words: "list[tuple[str, ...]]", text: str) -> int:
    """Return how many words of a prompt occur in a text.

    Of a Korean word its beginning must occur, under whatever ending.
    """
    held = set(keyword_tokens(text))
    return sum(1 for tokens in words if tokens[0] in held)


def is_named(words: "list[tuple[str, ...]]", title: str, tags: str, text: str) -> bool:
    """Say whether a prompt names a memory by a tag or its title.

    All words of the tag or title must occur. A title that is merely the memory's first words does
    not count.
    """
    prompt_tokens = {token for tokens in words for token in tokens}
    names = [tag for tag in re.split(r"[,;]", tags) if tag.strip()]
    if title and not " ".join(text.split()).startswith(title.rstrip("….").strip()):
        names.append(title)
    return any(
        tokens and prompt_tokens.issuperset(tokens) for tokens in map(_find_distinct_tokens, names)
    )


def _find_distinct_tokens(name: str) -> "list[str]":
    tokens = keyword_tokens(name)
    return [token for token in tokens if token not in COMMON] and tokens
