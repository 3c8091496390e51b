"""Rules about actions that hold, and what a person chose for each, as small files of the home.

The compiled rules are derived from what a user said, and are written whenever that changes; the
choices are a person's own, and nothing derives them. Beside them stands which action each rule last
asked for or stopped, because that action alone can be allowed once. The hook reads rules and
choices at every tool call, so the module imports little. A file that is damaged is moved to
`set-aside` by whoever writes it next.
"""

import json
import os

from gieok.places.home import gate_actions_file, gate_choices_file, gate_rules_file
from gieok.text.gates.action import ActionRule
from gieok.text.gates.verdict import list_rule_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
#: To be raised whenever the rows of the file change: an older file is no file.
VERSION = 3
#: What reading a damaged file raises.
DAMAGED = (ValueError, KeyError, TypeError, AttributeError)
_MOST_ACTIONS = 200


class GateRule:
    """Rule about actions with its origin.

    `origin` is the agent in whose session it was said, or the key of the record (`is_record`) that
    states it; `said_at` is in Unix seconds; `source` is the handle of the memory that holds the
    words. `names` are words of which a tool's use must have one, none for any use
    (`verdict.list_rule_names`). The rule itself is JSON in the row, read when it is asked for.
    """

    __slots__ = (
        "_row",
        "_rule",
        "day",
        "handle",
        "is_record",
        "names",
        "origin",
        "said_at",
        "scope",
        "source",
    )

    def __init__(
        self,
        *,
        handle: str,
        scope: str,
        said_at: float,
        day: str,
        origin: str,
        source: str,
        rule: "ActionRule | str",
        is_record: bool = False,
        names: "Iterable[str] | None" = None,
    ) -> None:
        self.is_record = is_record
        self._rule = None if isinstance(rule, str) else rule
        self._row = rule if isinstance(rule, str) else ""
        self.names = list_rule_names(self.rule) if names is None else list(names)
        self.handle = handle
        self.scope = scope
        self.said_at = said_at
        self.day = day
        self.origin = origin
        self.source = source

    @property
    def rule(self) -> ActionRule:
        """Return what must not happen."""
        if self._rule is None:
            self._rule = ActionRule.from_row(json.loads(self._row))
        return self._rule

    def may_act(self, names: "frozenset[str]") -> bool:
        """Return whether a use with such names (`ToolAttempt.list_names`) needs a closer look."""
        return not self.names or not names.isdisjoint(self.names)

    def build_row(self) -> "dict[str, object]":
        """Return the rule as JSON."""
        row = {name: getattr(self, name) for name in self.__slots__ if name[0] != "_"}
        return {**row, "rule": json.dumps(self.rule.build_row(), ensure_ascii=False)}


class GateChoices:
    """What a person chose: rules that are off, ends (handle → ISO day), uses allowed once.

    `once` maps a rule's handle to the key of the action that it lets pass.
    """

    __slots__ = ("off", "once", "until")

    def __init__(
        self,
        off: "Iterable[str]" = (),
        until: "Mapping[str, str] | None" = None,
        once: "Mapping[str, str] | None" = None,
    ) -> None:
        self.off = set(off)
        self.until = dict(until or {})
        self.once = dict(once or {})

    def is_on(self, handle: str, day: str) -> bool:
        """Return whether a rule holds on a day (ISO), as far as a person chose."""
        return handle not in self.off and day <= self.until.get(handle, day)

    def build_row(self) -> "dict[str, object]":
        """Return the choices as JSON."""
        return {"off": sorted(self.off), "until": self.until, "once": self.once}


def build_rule_handle(scope: str, key: str, check: int, number: int) -> str:
    """Return the short name of a rule, by which a person names it.

    It follows from where the rule was said, the checksum of its line and its number there, so that
    it stays when lines move; other words are another rule.
    """
    import zlib  # the hook builds no handle

    place = chr(0).join((scope, key, str(check), str(number)))
    return f"{zlib.crc32(place.encode('utf-8', 'surrogatepass')):08x}"


def load_gate_rules(home: str) -> "list[GateRule]":
    """Return the compiled rules of a home; none where there is no file.

    A rule is read itself only when it is asked for (`GateRule.rule`). Raises one of `DAMAGED` for a
    file that is damaged.
    """
    try:
        with open(gate_rules_file(home), encoding="utf-8") as opened:
            data = json.load(opened)
    except FileNotFoundError:
        return []
    if data["version"] != VERSION:
        return []
    return [GateRule(**row) for row in data["rules"]]


def write_gate_rules(home: str, rules: "Sequence[GateRule]") -> bool:
    """Write the compiled rules in one step that survives a kill; return whether they changed.

    A file that cannot be read is moved aside first.
    """
    file = gate_rules_file(home)
    data = {"version": VERSION, "rules": [rule.build_row() for rule in rules]}
    text = json.dumps(data, ensure_ascii=False)
    try:
        with open(file, encoding="utf-8") as opened:
            if opened.read() == text:
                return False
    except (OSError, ValueError):
        if not rules and not os.path.lexists(file):
            return False
    from gieok import fs  # a tool call that no rule touches writes nothing

    _set_damaged_aside(home, file, _read_all_rules)
    fs.replace_private(file, text.encode("utf-8", "surrogatepass"))
    return True


def load_gate_choices(home: str) -> GateChoices:
    """Return what a person chose; nothing where there is no file.

    Raises one of `DAMAGED` for a file that is damaged.
    """
    try:
        with open(gate_choices_file(home), encoding="utf-8") as opened:
            return GateChoices(**json.load(opened))
    except FileNotFoundError:
        return GateChoices()


def find_damaged_gate_files(home: str) -> "list[tuple[str, str]]":
    """Return the files of the gates that cannot be read, each with the reason."""
    files = {gate_rules_file(home): _read_all_rules, gate_choices_file(home): load_gate_choices}
    damaged: list[tuple[str, str]] = []
    for file, read in files.items():
        try:
            read(home)
        except DAMAGED as error:
            damaged.append((file, str(error)))
    return damaged


def _read_all_rules(home: str) -> None:
    for rule in load_gate_rules(home):
        rule.build_row()


def _set_damaged_aside(home: str, file: str, load: "Callable[[str], object]") -> None:
    """Move a file that `load` cannot read to the folder of damaged files, where nothing is lost."""
    try:
        load(home)
    except DAMAGED:
        from pathlib import Path

        from gieok import fs
        from gieok.places.home import build_set_aside_path

        stamp = os.stat(file).st_mtime_ns
        fs.set_aside(Path(file), Path(build_set_aside_path(home), f"gates-{stamp}"))


def change_gate_choices(home: str, change: "Callable[[GateChoices], bool]") -> bool:
    """Change the choices under their lock, durably; return what `change` returns.

    Nothing is written where it returns False. A file that cannot be read is moved aside, and the
    choices begin anew. Raises OSError.
    """
    from gieok import fs

    file = gate_choices_file(home)
    with fs.lock_resource(home, file):
        _set_damaged_aside(home, file, load_gate_choices)
        choices = load_gate_choices(home)
        if not change(choices):
            return False
        fs.replace_private(file, json.dumps(choices.build_row()))
    return True


def write_judged_action(home: str, handle: str, action: str) -> None:
    """Keep the key of the action that a rule asked for or stopped last. Raises OSError."""
    from gieok import fs

    file = gate_actions_file(home)
    with fs.lock_resource(home, file):
        rows = _load_judged_actions(file)
        rows.pop(handle, None)
        rows[handle] = action
        kept = dict(list(rows.items())[-_MOST_ACTIONS:])
        fs.replace_private(file, json.dumps(kept))


def find_judged_action(home: str, handle: str) -> str:
    """Return the key of the action that a rule asked for or stopped last; '' for none."""
    return _load_judged_actions(gate_actions_file(home)).get(handle, "")


def _load_judged_actions(file: str) -> "dict[str, str]":
    """Return rule → action; nothing where the file is damaged: the next action writes it anew."""
    try:
        with open(file, encoding="utf-8") as opened:
            rows = json.load(opened)
    except (OSError, ValueError):
        return {}
    return rows if isinstance(rows, dict) else {}
