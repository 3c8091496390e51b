"""What a memory replaced: statements that a later one ended, by line or by document."""

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
    predecessors = find_ended_documents(call, document)
    for scope in dict.fromkeys((document.scope.path, *(scope.path for scope in call.scopes))):
        same: dict[tuple[str, str, int], bool] = {}
        for key, line, end in standing.every(scope):
            name = (end.scope, end.key, end.line)
            if name not in same:
                targets = load_memories_by_key(call, *name)
                same[name] = any(
                    (t.document.key, t.line) == (document.key, memory.line)
                    or strip_to_letters(strip_speaker_label(t.text)) == words
                    for t in targets
                )
            if same[name]:
                predecessors += load_memories_by_key(call, scope, key, line)
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
    held, _ = first_answer(call.home.stores.all(), lambda store: store.get(Scope(scope), [key]))
    is_line = key.startswith(f"{SESSIONS}/")
    return [
        NamedMemory(document, line if is_line else 0)
        for document in held
        if line <= document.text.count("\n") + 1
    ]
