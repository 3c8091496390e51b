"""Known observations as the model observer sees them: with handles that an answer can replace."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from gieok.memory import observation, scope_memory
from gieok.memory.observation import Observation, Observed
from gieok.memory.scope_memory import ScopeMemory
from gieok.model.conversation import Journalled
from gieok.model.memory import CORRECTED, Document
from gieok.text.gist import gist, is_same
from gieok.text.keywords import keyword_text

#: Share of the budget for observations that share words with the conversation; the newest ones get
#: the rest.
_NEAR_SHARE = 0.7


class Known(NamedTuple):
    """Known observations.

    `text`: lines with handles, oldest first. `keys`: handle → key of an observation that may be
    replaced. `all`: every current observation.
    """

    text: str = ""
    keys: Mapping[str, str] = {}
    all: tuple[Observation, ...] = ()
    task: str = ""
    task_session: str = ""


def known(
    held: ScopeMemory,
    task: Document | None,
    waiting: Sequence[Observed],
    messages: Sequence[Journalled],
    budget_tokens: int,
) -> Known:
    """Return the observations that a conversation may repeat or replace.

    They are those that share its words, and the newest. `waiting` are observations that are not
    stored yet. A person's correction is shown without a handle: no model replaces it.
    """
    fixed = {document.key for document in held.documents if document.metadata.get(CORRECTED)}
    rows = [
        (document.key, o)
        for document, o in zip(held.documents, held.observations, strict=True)
        if document.valid_to is None
    ]
    rows += [(o.key, o) for part in waiting for o in part.observations]
    gone = {key for part in waiting for o in part.observations for key in o.replaces} - fixed
    rows = [(key, o) for key, o in dict(rows).items() if key not in gone]
    shown = _select_known_rows(rows, messages, budget_tokens)
    lines: list[str] = []
    keys: dict[str, str] = {}
    for key, o in shown:
        handle = "" if key in fixed else f"k{len(keys) + 1}"
        if handle:
            keys[handle] = key
        lines.append(f"[{handle or 'fixed'}] {scope_memory.format_observation_line(o)}")
    stored = (
        Observed((), task.text, task_session=observation.read_task_session(task))
        if task
        else Observed(())
    )
    last = observation.merge((stored, *waiting))
    return Known(
        text="\n".join(lines),
        keys=keys,
        all=tuple(o for _, o in rows),
        task=last.task,
        task_session=last.task_session,
    )


def _select_known_rows(
    rows: Sequence[tuple[str, Observation]], messages: Sequence[Journalled], budget_tokens: int
) -> list[tuple[str, Observation]]:
    """Return the rows that fit into the budget, in order of time.

    Rows that share rare words with the conversation are chosen first, then the newest.
    """
    if sum(o.tokens for _, o in rows) <= budget_tokens:
        return list(rows)
    words = [set(keyword_text(o.text).split()) for _, o in rows]
    common = Counter(word for found in words for word in found)
    spoken_words = {word for found in messages for word in keyword_text(found.message.text).split()}
    worth = [
        sum(1 / common[word] for word in found & spoken_words) / (1 + len(found)) for found in words
    ]
    near = sorted((n for n in range(len(rows)) if worth[n]), key=lambda n: (-worth[n], -n))
    chosen: set[int] = set()
    room = round(_NEAR_SHARE * budget_tokens)
    for numbers, more in ((near, 0), (range(len(rows) - 1, -1, -1), budget_tokens - room)):
        room += more
        for number in numbers:
            if number in chosen:
                continue
            if rows[number][1].tokens > room:
                break
            room -= rows[number][1].tokens
            chosen.add(number)
    return [rows[number] for number in sorted(chosen)]


def is_known(o: Observation, others: Iterable[Observation]) -> bool:
    """Say whether one of the others says all that an observation says.

    An observation that replaces something is new, unless it is repeated word for word.
    """
    about = gist(o.text)
    for other in others:
        theirs = gist(other.text)
        adds = o.replaces or not about.words <= theirs.words
        if (
            other.is_done == o.is_done
            and is_same(about, theirs)
            and (not adds or about.plain == theirs.plain)
        ):
            return True
    return False
