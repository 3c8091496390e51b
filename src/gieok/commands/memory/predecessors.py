"""What a memory replaced: statements that a later one ended, by line or by document."""

from collections.abc import Iterable

from gieok.commands.memory.handles import NamedMemory, strip_speaker_label
from gieok.home.call import Call
from gieok.hook.validity import Standing
from gieok.hook.window import strip_to_letters
from gieok.memory.talk import turns
from gieok.model.memory import REPLACED_BY, Document, Scope
from gieok.places.scope import SESSIONS
from gieok.ranking.recall import first_answer


def find_predecessors(call: Call, memory: NamedMemory, standing: Standing) -> list[NamedMemory]:
    """Return all memories that a memory replaced.

    A message and its observation count as one statement.
    """
    document, words = memory.document, strip_to_letters(strip_speaker_label(memory.text))
    rows = [
        (scope, key, line, end)
        for scope in dict.fromkeys((document.scope.path, *(scope.path for scope in call.scopes)))
        for key, line, end in standing.every(scope)
    ]
    old_places = ((scope, key) for scope, key, _, _ in rows)
    new_places = ((end.scope, end.key) for _, _, _, end in rows)
    documents = load_documents_by_place(call, (*old_places, *new_places))
    same: dict[tuple[str, str, int], bool] = {}
    predecessors = find_ended_documents(call, document)
    for scope, key, line, end in rows:
        if end.place not in same:
            targets = _name_line(documents.get((end.scope, end.key)), end.line)
            same[end.place] = any(
                (t.document.key, t.line) == (document.key, memory.line)
                or strip_to_letters(strip_speaker_label(t.text)) == words
                for t in targets
            )
        if same[end.place]:
            predecessors += _name_line(documents.get((scope, key)), line)
    return predecessors


def find_ended_documents(call: Call, document: Document) -> list[NamedMemory]:
    """Return the documents whose metadata says that `document` replaced them.

    In a block of turns, the line that replaced is recorded elsewhere.
    """
    if turns.is_turns(document.key):
        return []
    documents = (entry.document for entry in call.home.journal.made(document.scope))
    return [NamedMemory(old) for old in documents if old.metadata.get(REPLACED_BY) == document.key]


def load_memories_by_key(call: Call, scope: str, key: str, line: int) -> list[NamedMemory]:
    """Return the memory that a place names, as a list; [] for a place that is gone."""
    documents = load_documents(call, Scope(scope), [key])
    return _name_line(documents[0] if documents else None, line)


def _name_line(document: Document | None, line: int) -> list[NamedMemory]:
    """Return the memory that a line of a document is, as a list; [] for a line that is gone.

    A document that is not of turns is one memory.
    """
    if document is None or line > document.text.count("\n") + 1:
        return []
    return [NamedMemory(document, line if document.key.startswith(f"{SESSIONS}/") else 0)]


def load_documents(call: Call, scope: Scope, keys: Iterable[str]) -> list[Document]:
    """Return the documents with keys of a scope, each once, from the first store that answers."""
    distinct = list(dict.fromkeys(keys))
    documents, _ = first_answer(call.home.stores.all(), lambda store: store.get(scope, distinct))
    return documents


def load_documents_by_place(
    call: Call, places: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], Document]:
    """Return the documents at places (scope, key); each scope is read once."""
    keys: dict[str, list[str]] = {}
    for scope, key in places:
        keys.setdefault(scope, []).append(key)
    return {
        (scope, document.key): document
        for scope, wanted in keys.items()
        for document in load_documents(call, Scope(scope), wanted)
    }
