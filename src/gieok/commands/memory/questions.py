"""Questions to begin with: made of the newest memories, each tried before it is offered."""

import calendar
import re
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import chain, islice
from pathlib import PurePosixPath

from gieok.commands.memory.hits import sort_for_reading
from gieok.commands.memory.listing import ListedMemory, list_memories
from gieok.commands.memory.search import search_memory
from gieok.errors import NotIndexed
from gieok.home.call import Call
from gieok.ranking.likelihood import HIGH, MEDIUM
from gieok.ranking.timeline import asks_or_orders
from gieok.text.keywords import normalise
from gieok.text.statement_subject import find_subject
from gieok.text.turns import ASSISTANT
from gieok.text.written_days import name_without_day

#: Memories that are looked at, and questions that are tried, for the few that are offered.
_MOST_LISTED, _MOST_TRIED = 60, 8
#: Names that are tried behind the newest month, before earlier months are.
_FURTHER_NAMES = 3
#: Months that are asked about, the newest first.
_MONTHS = 3
#: A longer name is a sentence, and no name of a thing.
_MOST_CHARS = 40
_SURE = (HIGH, MEDIUM)
#: Hits that the home page shows at first.
_SHOWN = 12
_HOLDS = ("stands", "current")
_LEARNED = ("record", "observation")
_LETTERS = re.compile(r"[^\W\d_]{2,}")


def suggest_questions(call: Call, most: int = 3) -> list[str]:
    """Return questions that the owner's memory answers, in the person's language.

    Each was searched for in every scope, and the first line that is shown for it is likely to
    answer, holds still, and is neither an agent's nor a question or request.
    """
    try:
        memories = list_memories(call, limit=_MOST_LISTED, everywhere=True).memories
    except NotIndexed:
        return []
    tried = islice(_iter_candidates(call, memories), _MOST_TRIED)
    return list(islice((question for question in tried if _is_answered(call, question)), most))


def _iter_candidates(call: Call, memories: tuple[ListedMemory, ...]) -> Iterator[str]:
    """Yield questions: about two names, the newest month, further names, earlier months.

    Names are those of notes, then the subjects of what was learned.

    Each kind has its turns, so that a home without notes, or without names that answer, has some.
    """
    names = dict.fromkeys(chain(_iter_note_names(memories), _iter_subjects(memories)))
    about_names = (call.words("What about {name}?", name=name) for name in names)
    about_months = (_ask_about_month(call, day) for day in _iter_months(memories))
    yield from islice(about_names, 2)
    yield from islice(about_months, 1)
    yield from islice(about_names, _FURTHER_NAMES)
    yield from about_months


def _iter_note_names(memories: tuple[ListedMemory, ...]) -> Iterator[str]:
    """Yield what the files of notes are called, once each; a date is no name, nor part of one."""
    paths = (memory.path for memory in memories if memory.kind == "note")
    stems = (normalise(PurePosixPath(path.partition("#")[0]).stem) for path in paths)
    names = (re.sub(r"[-_\s]+", " ", name_without_day(stem)).strip() for stem in stems)
    for name in dict.fromkeys(names):
        if _LETTERS.search(name) and len(name) <= _MOST_CHARS:
            yield name


def _iter_subjects(memories: tuple[ListedMemory, ...]) -> Iterator[str]:
    """Yield what learned statements that hold are about, where they begin with it."""
    for memory in memories:
        if memory.kind in _LEARNED and memory.status in _HOLDS:
            subject = find_subject(memory.text)
            if subject:
                yield subject


def _iter_months(memories: tuple[ListedMemory, ...]) -> Iterator[date]:
    """Yield the first days of the month of the newest memory and of the two months before."""
    if not memories:
        return
    first = max(memory.day for memory in memories).replace(day=1)
    for _ in range(_MONTHS):
        yield first
        first = (first - timedelta(days=1)).replace(day=1)


def _ask_about_month(call: Call, day: date) -> str:
    is_now = day.year == call.clock.now().year
    template = "What happened in {month}?" if is_now else "What happened in {month} {year}?"
    return call.words(
        template, month=calendar.month_name[day.month], number=day.month, year=day.year
    )


def _is_answered(call: Call, question: str) -> bool:
    # a list of days begins with the earliest of them, so that one hit is not its first one
    hits = sort_for_reading(search_memory(call, query=[question], limit=_SHOWN, everywhere=True))
    if not hits or hits[0].level not in _SURE or hits[0].status not in _HOLDS:
        return False
    first = hits[0].snippet.partition("\n")[0]
    return not (first.startswith(f"{ASSISTANT}: ") or asks_or_orders(first))
