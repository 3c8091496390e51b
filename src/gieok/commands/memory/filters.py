"""Filters that leave memories out by tag, agent, category, priority and status.

`search`, `list` and every surface use the same filter words.
"""

from collections.abc import Mapping
from typing import NamedTuple

from gieok.commands.command import STATUSES
from gieok.errors import BadRequest, Phrase
from gieok.home.call import Call
from gieok.memory.observation import Priority
from gieok.model.retrieval import Filter, normalise_tag
from gieok.text.messages import Words

TAG = Words("only what has this tag; several with commas: any of them")
AGENT = Words("only what was said to this agent, or comes from its notes; several with commas")
CATEGORY = Words("only this category, e.g. decision,task")
PRIORITY = Words("only this priority, e.g. high,medium")
STATUS = Words("only what is so now")
#: Memories that are put away (retired) are never searched.
SEARCHED_STATUSES = ("all", *(name for name in STATUSES if name != "retired"))
#: Statuses that a single line can have are known beside the store, where the document as a whole
#: still stands.
_OF_LINES = frozenset(("stands", "current", "replaced", "ended"))


class Narrowing(NamedTuple):
    """Filter words of a request.

    `tag`, `agent`, `category` and `priority` are names joined by commas; `status` may be `all`.
    """

    tag: str
    agent: str
    status: str
    category: str = ""
    priority: str = ""

    def narrow_filter(self, call: Call, where: Filter) -> Filter:
        """Return a filter that admits no more than is wanted, as far as stores can tell.

        Raises BadRequest.
        """
        statuses = frozenset((self.status,)) if self.status != "all" else frozenset[str]()
        if statuses & _OF_LINES:
            statuses = (statuses - {"current"}) | {"stands"}
        return where._replace(
            tags=frozenset(map(normalise_tag, _split_filter_names("tag", self.tag))),
            agents=frozenset(_split_filter_names("agent", self.agent)),
            categories=frozenset(_split_filter_names("category", self.category)),
            priorities=self._check_priorities(),
            statuses=statuses,
            # Not to the second: stores cache for a while which documents a filter admits.
            at=call.clock.now().replace(second=0, microsecond=0) if statuses else None,
        )

    def _check_priorities(self) -> frozenset[str]:
        names = _split_filter_names("priority", self.priority)
        known = [priority.value for priority in Priority]
        if unknown := [name for name in names if name not in known]:
            raise BadRequest(
                "there is no priority {name!r}",
                name=unknown[0],
                known=", ".join(known),
                hint="name one of {known}",
            )
        return frozenset(names)

    def admits_status(self, status: str) -> bool:
        """Return whether a memory's status is wanted; a `current` memory also `stands`."""
        return self.status in ("all", status) or (self.status == "stands" and status == "current")

    def describe_filters(self) -> Mapping[str, str]:
        """Return the filters by name, with `all` for a filter that is not set."""
        return {name: value or "all" for name, value in self._asdict().items()}


def _split_filter_names(what: str, joined: str) -> list[str]:
    names = [name.strip() for name in joined.split(",") if name.strip()]
    if joined.strip() and not any(name.strip("#") for name in names):
        raise BadRequest(
            "{what} is {joined!r}",
            what=Phrase(what),
            joined=joined,
            hint="write a name, or leave it out",
        )
    return names
