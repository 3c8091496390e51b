"""Filter for the memories that a person wants forgotten, and the plan of what fits the filter."""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePath
from typing import NamedTuple

from gieok.commands.scope_names import name_scope
from gieok.memory import observation
from gieok.model.conversation import Journalled
from gieok.model.memory import Document, Scope
from gieok.text.keywords import fold_for_search


class ForgetFilter(NamedTuple):
    """Conditions on memories to forget; a memory must meet every condition that is given.

    `source` is an absolute path, `before` is in UTC.
    """

    handles: tuple[str, ...] = ()
    match: str = ""
    source: str = ""
    before: datetime | None = None
    #: Whether only one scope is searched.
    is_scoped: bool = False

    def fits(self, text: str, source: str, at: datetime) -> bool:
        """Return whether a memory fits, by its text, its source path and its time."""
        return (
            (not self.match or fold_for_search(self.match) in fold_for_search(text))
            and (not self.source or PurePath(source).is_relative_to(self.source))
            and (self.before is None or at < self.before)
        )

    @property
    def is_match_alone(self) -> bool:
        """Say whether the filter is a text, which is then removed wherever it occurs."""
        return bool(self.match) and not (
            self.handles or self.source or self.before or self.is_scoped
        )


@dataclass(slots=True)
class Chosen:
    """Items to forget in one scope; `replaced` holds numbers of history rows."""

    documents: dict[str, Document] = field(default_factory=dict)
    messages: dict[int, Journalled] = field(default_factory=dict)
    replaced: dict[int, Document] = field(default_factory=dict)
    #: Texts with which a person corrected a message, by the message's number.
    corrected: dict[int, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Return whether there is anything to forget."""
        return bool(self.documents or self.messages or self.replaced)


@dataclass(slots=True)
class ForgetPlan:
    """Items to forget, by scope.

    `records` are files, `unknown` are handles without a target.
    """

    scopes: dict[Scope, Chosen] = field(default_factory=dict)
    records: set[Path] = field(default_factory=set)
    unknown: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """True where nothing fits."""
        return not self.records and not any(self.scopes.values())

    def count(self, what: str) -> int:
        """Return the number of items of one kind.

        `what` is `documents` (of files), `observations`, `messages` or `replaced` (documents that
        later observations replaced).
        """
        if what in ("messages", "replaced"):
            return sum(len(getattr(chosen, what)) for chosen in self.scopes.values())
        is_made = what == "observations"
        of_records = {str(file) for file in self.records}
        documents = [
            d
            for chosen in self.scopes.values()
            for d in chosen.documents.values()
            if d.source not in of_records
        ]
        return sum(
            1 for document in documents if document.key.startswith(observation.PREFIX) == is_made
        )

    def shown(self, lang: str = "en") -> list[tuple[str, str]]:
        """Return the name and text of each item, for the question to the person.

        Names of scopes are in the language `lang`.
        """
        of_records = {str(file): "" for file in sorted(self.records)}
        of_records |= {
            d.source: d.text
            for chosen in self.scopes.values()
            for d in chosen.documents.values()
            if d.source in of_records
        }
        rows = list(of_records.items())
        for scope, chosen in sorted(self.scopes.items()):
            documents = (d for d in chosen.documents.values() if d.source not in of_records)
            name = name_scope(scope).say(lang)
            rows += [(f"{name}: {d.key}", d.text) for d in documents]
            rows += [
                (f"{name}: {m.message.id}", chosen.corrected.get(seq, m.message.text))
                for seq, m in chosen.messages.items()
            ]
            rows += [(f"{name}: {d.key}", d.text) for d in chosen.replaced.values()]
        return rows

    def texts(self) -> list[str]:
        """Return every text to remove."""
        texts = [
            d.text
            for c in self.scopes.values()
            for d in (*c.documents.values(), *c.replaced.values())
        ]
        texts += [m.message.text for c in self.scopes.values() for m in c.messages.values()]
        return texts + [text for c in self.scopes.values() for text in c.corrected.values()]
