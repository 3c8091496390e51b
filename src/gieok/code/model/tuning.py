"""Settings of one project's code, as its `.gieok/code/config.yaml` has them.

They are thresholds and weights alone: what comes with a repository can run no command by them.
Smaller chunks make more passages, each of which is embedded, tighter thresholds ask for more looks,
and more symbols ask for more summaries, which a model may be paid for: `home.code_settings` takes
them from a file that a person trusts.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from gieok.code.model.document_names import (
    NamedValue,
    OurSettings,
    convert_number,
    require_count,
    sort_settings,
)
from gieok.errors import BadConfig, Phrase


class EscalationRules(NamedTuple):
    """When a change asks for a deeper look. A rule of 0 is off."""

    #: So many new modules, new classes, or changed files in one sync.
    new_modules: int = 1
    new_classes: int = 1
    files: int = 11
    #: Change of the depth of imports.
    import_depth: int = 2
    #: Quality of a validation below this, 0–100; and so many failed validations in a row.
    quality: int = 80
    failed_validations: int = 3


class Chunking(NamedTuple):
    """How files are cut into passages, in characters."""

    #: Longer passages are split; a limit of 1,200 found a little less (.794 beside .803).
    largest: int = 3_000
    #: A stretch of fewer characters between symbols stays with what follows it.
    tiny: int = 40


class SearchWeights(NamedTuple):
    """How answers of `code query` are weighed: factors in percent, and counts."""

    tests: int = 30
    examples: int = 30
    documents: int = 25
    #: Each further answer of one file. So mild because behind the first answers other files come
    #: first (`query`): without that, a long file would fill the list.
    repeated: int = 85
    #: Matches whose neighbours in the graph fill the answer.
    neighbours: int = 3
    #: Answers, where nobody says how many.
    answers: int = 8


class SummaryReach(NamedTuple):
    """Which symbols a model summarises."""

    #: Functions of fewer lines have none: most say in their name what they do.
    least_lines: int = 3
    #: 1: those of tests, and of examples, too.
    tests: int = 0
    examples: int = 0


class Tuning(NamedTuple):
    """All settings of a project's code."""

    #: Patterns, as in `.gitignore`, of files that are not to be indexed.
    ignore: tuple[str, ...] = ()
    escalation: EscalationRules = EscalationRules()
    chunking: Chunking = Chunking()
    search: SearchWeights = SearchWeights()
    summaries: SummaryReach = SummaryReach()
    #: What of the file is not used, and why (`home.code_settings`).
    note: str = ""
    #: Names in the file that are the document's and have no counterpart here.
    unused: tuple[str, ...] = ()

    def without_costs(self) -> "Tuning":
        """Return settings that cost no more than the default ones do."""
        asked, default = self.escalation, EscalationRules()
        loosest = EscalationRules(
            *(
                own if own == 0 or own >= known else known
                for own, known in zip(asked, default, strict=True)
            )
        )
        return self._replace(
            chunking=Chunking(),
            escalation=loosest._replace(quality=min(asked.quality, default.quality)),
            summaries=SummaryReach(
                least_lines=max(self.summaries.least_lines, SummaryReach().least_lines)
            ),
        )


_PARTS: Mapping[str, tuple[str, ...]] = {
    "escalation": EscalationRules._fields,
    "chunking": Chunking._fields,
    "search": SearchWeights._fields,
    "summaries": SummaryReach._fields,
}
#: (lowest, highest) value of a setting; others: 0 to a million.
_BOUNDS = {
    "chunking.largest": (200, 100_000),
    "escalation.quality": (0, 100),
    "search.tests": (0, 1_000),
    "search.examples": (0, 1_000),
    "search.documents": (0, 1_000),
    "search.repeated": (0, 100),
    "search.neighbours": (0, 20),
    "search.answers": (1, 50),
    "summaries.tests": (0, 1),
    "summaries.examples": (0, 1),
}
_ANY_COUNT = (0, 1_000_000)


def parse_tuning(settings: Mapping[object, object], file: object) -> Tuning:
    """Return a project's settings. Raises BadConfig for unknown names and values out of range."""
    ours = sort_settings(settings, file)
    _require_known(ours.settings, ("ignore", *_PARTS), file)
    return Tuning(
        ignore=_parse_ignore(ours, file),
        escalation=EscalationRules(**_parse_part(ours, "escalation", file)),
        chunking=Chunking(**_parse_part(ours, "chunking", file)),
        search=SearchWeights(**_parse_part(ours, "search", file)),
        summaries=SummaryReach(**_parse_part(ours, "summaries", file)),
        unused=ours.unused,
    )


def _require_known(names: Iterable[str], known: Sequence[str], file: object) -> None:
    for name in names:
        if name not in known:
            raise BadConfig(
                "unknown setting {name!r} in {file!r}",
                name=name,
                file=file,
                hint=Phrase("known: {names}", names=", ".join(known)),
            )


def _parse_ignore(ours: OurSettings, file: object) -> tuple[str, ...]:
    """Return the patterns; those under our own name win, and those under the document's are
    checked all the same.
    """
    rows = [*ours.written.get("ignore", ())]
    if "ignore" in ours.settings:
        rows.insert(0, NamedValue("ignore", ours.settings["ignore"]))
    for name, value in rows:
        patterns = value or []
        if not isinstance(patterns, list) or not all(isinstance(one, str) for one in patterns):
            raise BadConfig("`{name}` in {file!r} must be a list of patterns", name=name, file=file)
    return tuple(rows[0].value or ()) if rows else ()


def _parse_part(ours: OurSettings, part: str, file: object) -> dict[str, int]:
    """Return the numbers under a name of the file, all of them checked.

    A number under our own name wins over one under the document's, which is checked all the same.
    """
    rows = ours.settings.get(part) or {}
    if not isinstance(rows, dict):
        raise BadConfig("`{part}` in {file!r} must hold `name: number` lines", part=part, file=file)
    _require_known((f"{part}.{name}" for name in rows), [f"{part}.{n}" for n in _PARTS[part]], file)
    values = {}
    for name, value in rows.items():
        full = f"{part}.{name}"
        low, high = _BOUNDS.get(full, _ANY_COUNT)
        values[str(name)] = require_count(full, value, low, high, file)
    for full, written in ours.written.items():
        of, _, name = full.partition(".")
        if of == part:
            converted = convert_number(written, *_BOUNDS.get(full, _ANY_COUNT), file)
            values.setdefault(name, converted)
    return values
