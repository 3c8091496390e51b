"""Questions to begin with: made of the newest memories, each tried before it is offered."""

import calendar
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from gieok.commands.memory.listing import ListedMemory, list_memories
from gieok.commands.memory.search import search_memory
from gieok.home.call import Call

#: Memories that are looked at, and questions that are tried, for the few that are offered.
_MOST_LISTED, _MOST_TRIED = 60, 8
#: A longer name is a sentence, and no name of a thing.
_MOST_CHARS = 40
_SURE = ("high", "medium")
_LETTERS = re.compile(r"[^\W\d_]{2,}")


def suggest_questions(call: Call, most: int = 3) -> list[str]:
    """Return questions that the memory of a call answers, in the person's language.

    Each was searched for, and found lines that are not unsure.
    """
    memories = list_memories(call, limit=_MOST_LISTED).memories
    questions = list[str]()
    for number, question in enumerate(_iter_candidates(call, memories)):
        if number == _MOST_TRIED or len(questions) == most:
            break
        if _is_answered(call, question):
            questions.append(question)
    return questions


def _iter_candidates(call: Call, memories: tuple[ListedMemory, ...]) -> Iterator[str]:
    """Yield questions: about two names of notes, about the newest month, about further names."""
    names = _iter_note_names(memories)
    for count, name in enumerate(names, start=1):
        yield call.words("What about {name}?", name=name)
        if count == 2:
            break
    if memories:
        yield _ask_about_month(call, memories[0])
    for name in names:
        yield call.words("What about {name}?", name=name)


def _iter_note_names(memories: tuple[ListedMemory, ...]) -> Iterator[str]:
    """Yield what the files of notes are called, once each; a date is no name."""
    for path in dict.fromkeys(memory.path for memory in memories if memory.kind == "note"):
        name = re.sub(r"[-_\s]+", " ", PurePosixPath(path.partition("#")[0]).stem).strip()
        if _LETTERS.search(name) and len(name) <= _MOST_CHARS:
            yield name


def _ask_about_month(call: Call, memory: ListedMemory) -> str:
    day = memory.day
    is_now = day.year == call.clock.now().year
    template = "What happened in {month}?" if is_now else "What happened in {month} {year}?"
    return call.words(
        template, month=calendar.month_name[day.month], number=day.month, year=day.year
    )


def _is_answered(call: Call, question: str) -> bool:
    hits = search_memory(call, query=[question], limit=1).results
    return bool(hits) and hits[0].level in _SURE
