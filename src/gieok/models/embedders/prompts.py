"""Prompts that a model's makers prescribe before a question and before a passage."""

import re
from typing import NamedTuple

from gieok.opening import ModelOpening

#: Leaves the choice to the table.
AUTO = "auto"


class Prompts(NamedTuple):
    """Prefixes of a question and of a passage."""

    query: str = ""
    passage: str = ""

    def before(self, text: str, *, is_query: bool) -> str:
        """Return a text with its prompt."""
        return (self.query if is_query else self.passage) + text


_SEARCH = "Represent this sentence for searching relevant passages: "
_INSTRUCT = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
)
#: Names (any case) → prompts, from the models' cards; the first that matches counts. Others, as
#: bge-m3, need none.
_BY_NAME = (
    (r"qwen3.?embedding", Prompts(_INSTRUCT.rstrip(" "))),
    (r"embedding.?gemma", Prompts("task: search result | query: ", "title: none | text: ")),
    (r"gemini-embedding-2", Prompts("task: search result | query: ", "title: none | text: ")),
    (r"e5.*instruct|e5.mistral", Prompts(_INSTRUCT)),
    (r"(^|[^a-z])(ko)?e5([^a-z0-9]|$)", Prompts("query: ", "passage: ")),
    (r"nomic.embed", Prompts("search_query: ", "search_document: ")),
    (r"arctic.embed.*(2|v2)", Prompts("query: ")),
    (r"arctic.embed|mxbai.embed|bge.(small|base|large).en", Prompts(_SEARCH)),
)


def select_prompts(opening: ModelOpening, of_makers: Prompts | None = None) -> Prompts:
    """Return the prompts in force: those of the settings, of the model's folder, or of its name."""
    known = of_makers or find_prompts_by_model(opening.model)
    return Prompts(
        known.query if opening.query_prompt == AUTO else opening.query_prompt,
        known.passage if opening.passage_prompt == AUTO else opening.passage_prompt,
    )


def find_prompts_by_model(model: str) -> Prompts:
    """Return the prompts of a model that is known by name."""
    matching = (
        prompts for pattern, prompts in _BY_NAME if re.search(pattern, model, re.IGNORECASE)
    )
    return next(matching, Prompts())
