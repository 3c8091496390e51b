"""Gate for notes that may enter a prompt that did not ask for them.

Imported by the hook: see the package. Everything that an agent is given goes to the provider of its
model. A person's own notes (of a vault, a diary) are about more than the work at hand, so they need
stronger evidence to be injected than turns said to agents, or records kept for agents.
"""

import os

from gieok import private
from gieok.hook import named
from gieok.places.scope import SEEDS, SESSIONS, USER_SCOPE
from gieok.ranking.likelihood import SURE


class NoteGate:
    """Decides which notes one prompt may get unasked.

    `folders` are the folders of the setting `hook.asked_only`, joined by commas: notes in them are
    found by searches and never injected. In a project, a note of the person's own must be likely to
    bear on the prompt, and share a word with it.
    """

    def __init__(self, folders: str, scopes: "list[str]", prompt: str) -> None:
        self._asked_only = private.open_privacy("", folders, "")
        self._is_work = any(scope.startswith("project:") for scope in scopes)
        self._prompt = prompt
        self._words: list[tuple[str, ...]] | None = None

    def admits(
        self, *, source: str, scope: str, key: str, category: str, score: float, text: str
    ) -> bool:
        """Say whether a document may be injected.

        `source` is the file of the document (a source that is no absolute path is no file),
        `category` the kind of a record, '' for a note, `text` the document's title, tags and words,
        `score` the probability that the document bears on the prompt.
        """
        if not os.path.isabs(source):
            return True
        if self._asked_only.excludes_path(source):
            return False
        is_note = not category and not key.startswith((f"{SEEDS}/", f"{SESSIONS}/"))
        if not (self._is_work and is_note and scope == USER_SCOPE):
            return True
        return score >= SURE and self._shares_a_word(text)

    def _shares_a_word(self, text: str) -> bool:
        if self._words is None:
            self._words = named.content_words(self._prompt)
        return named.count_shared_words(self._words, text) > 0
