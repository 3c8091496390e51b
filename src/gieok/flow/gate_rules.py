"""Rules about actions that hold, and what a person chose for each, as small files of the home.

The compiled rules are derived from what a user said, and are written whenever that changes; the
choices are a person's own, and nothing derives them. Beside them stands which actions each rule
stopped, because those alone can be allowed once. The hook reads rules and choices at every tool
call, so the module imports little. A file that is damaged is moved to
`set-aside` by whoever writes it next.
"""

import json
import os

from gieok.places.home import gate_actions_file, gate_choices_file, gate_rules_file
from gieok.text.gates.action import ActionRule
from gieok.text.gates.verdict import list_rule_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    _Read = TypeVar("_Read")
#: To be raised whenever the rows of the file change: an older file is no file.
VERSION = 5
#: What reading a damaged file raises.
DAMAGED = (ValueError, KeyError, TypeError, AttributeError)
_MOST_ACTIONS = 200
_CODE_CHARS = 8
#: Fields of an entry that are texts.
_TEXTS = ("handle", "scope", "day", "origin", "source", "rule", "sense")


class GateRule:
    """Rule about actions with its origin.

    `origin` is the agent in whose session it was said, or the key of the record (`is_record`) that
    states it; `said_at` is in Unix seconds; `source` is the handle of the memory that holds the
    words. `names` are words of which a tool's use must have one, none for any use
    (`verdict.list_rule_names`). `sense` are the words that a model holds against uses, '' for none.
    The rule itself is JSON in the row, read when it is asked for.
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
        "sense",
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
        sense: "str | None" = None,
    ) -> None:
        self.is_record = is_record
        self._rule = None if isinstance(rule, str) else rule
        self._row = rule if isinstance(rule, str) else ""
        self.names = list_rule_names(self.rule) if names is None else list(names)
        self.sense = self.rule.sense if sense is None else sense
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

    A rule is read itself only when it is asked for (`GateRule.rule`); one whose entry is not as it
    is written is left out. Raises one of `DAMAGED` for a file that cannot be read at all.
    """
    return _read_rules(home)[0]


def _read_rules(home: str) -> "tuple[list[GateRule], list[str]]":
    """Return the rules, and what is wrong with the entries that are left out."""
    try:
        with open(gate_rules_file(home), encoding="utf-8") as opened:
            data = json.load(opened)
    except FileNotFoundError:
        return [], []
    if data["version"] != VERSION:
        return [], []
    rules: list[GateRule] = []
    wrong: list[str] = []
    for place, row in enumerate(_check_kind(data["rules"], list, "rules")):
        try:
            rules.append(_read_rule(row))
        except DAMAGED as error:
            wrong.append(f"rules[{place}]: {error}")
    return rules, wrong


def _read_rule(row: "Mapping[str, Any]") -> GateRule:
    """Return the rule of an entry. Raises one of `DAMAGED`."""
    for name in _TEXTS:
        _check_kind(row[name], str, name)
    _check_kind(row["said_at"], (int, float), "said_at")
    for name in _check_kind(row["names"], list, "names"):
        _check_kind(name, str, "names")
    return GateRule(**row)


def _check_kind(value: "_Read", kind: "type | tuple[type, ...]", name: str) -> "_Read":
    """Return a value of JSON that has the kind that it must have. Raises TypeError."""
    if not isinstance(value, kind):
        raise TypeError(name)
    return value


def write_gate_rules(home: str, rules: "Sequence[GateRule]") -> bool:
    """Write the compiled rules in one step that survives a kill; return whether they changed.

    A file that cannot be read is moved aside first. What a rule that is gone had asked for or
    stopped goes with it.
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

    _set_damaged_aside(home, file)
    fs.replace_private(file, text.encode("utf-8", "surrogatepass"))
    _drop_judged_actions(home, {rule.handle for rule in rules})
    return True


def _drop_judged_actions(home: str, handles: "Collection[str]") -> None:
    """Leave out the kept actions of other rules than these."""
    file = gate_actions_file(home)
    if not os.path.exists(file):
        return
    from gieok import fs

    with fs.lock_resource(home, file):
        rows = _load_judged_actions(file)
        kept = {name: row for name, row in rows.items() if name.partition(" ")[0] in handles}
        if len(kept) < len(rows):
            fs.replace_private(file, json.dumps(kept))


def load_gate_choices(home: str) -> GateChoices:
    """Return what a person chose; nothing where there is no file.

    An entry that is not as it is written is left out. Raises one of `DAMAGED` for a file that
    cannot be read at all.
    """
    return _read_choices(home)[0]


def _read_choices(home: str) -> "tuple[GateChoices, list[str]]":
    """Return the choices, and what is wrong with the entries that are left out."""
    try:
        with open(gate_choices_file(home), encoding="utf-8") as opened:
            data = _check_kind(json.load(opened), dict, "choices")
    except FileNotFoundError:
        return GateChoices(), []
    choices = GateChoices()
    wrong = [name for name in data if name not in GateChoices.__slots__]
    off = data.get("off", [])
    for handle in off if isinstance(off, list) else [off]:
        if isinstance(handle, str) and isinstance(off, list):
            choices.off.add(handle)
        else:
            wrong.append("off")
    for name, kept in (("until", choices.until), ("once", choices.once)):
        pairs = data.get(name, {})
        for handle, value in (pairs if isinstance(pairs, dict) else {name: None}).items():
            if isinstance(value, str):
                kept[handle] = value
            else:
                wrong.append(f"{name}: {handle}")
    return choices, wrong


def find_damaged_gate_files(home: str) -> "list[tuple[str, str, bool]]":
    """Return the files of the gates that are damaged: the file, the reason, whether all of it is.

    Of a file that is not damaged as a whole, only the entries that the reason names are left out.
    """
    damaged: list[tuple[str, str, bool]] = []
    try:
        damaged += [(gate_rules_file(home), each, False) for each in _check_rules(home)[:1]]
    except DAMAGED as error:
        damaged.append((gate_rules_file(home), str(error), True))
    try:
        wrong = _read_choices(home)[1]
        damaged += [(gate_choices_file(home), each, False) for each in wrong[:1]]
    except DAMAGED as error:
        damaged.append((gate_choices_file(home), str(error), True))
    return damaged


def _check_rules(home: str) -> "list[str]":
    """Return what is wrong with entries of the rules. Raises one of `DAMAGED`."""
    rules, wrong = _read_rules(home)
    for rule in rules:
        try:
            rule.build_row()
        except DAMAGED as error:
            wrong.append(f"{rule.handle}: {error}")
    return wrong


def _set_damaged_aside(home: str, file: str) -> None:
    """Move a file that is damaged to the folder of damaged files, where nothing is lost."""
    if file in (name for name, *_ in find_damaged_gate_files(home)):
        from pathlib import Path

        from gieok import fs
        from gieok.places.home import build_set_aside_path

        stamp = os.stat(file).st_mtime_ns
        fs.set_aside(Path(file), Path(build_set_aside_path(home), f"gates-{stamp}"))


def change_gate_choices(
    home: str, change: "Callable[[GateChoices], bool]", *, wait: bool = True
) -> bool:
    """Change the choices under their lock, durably; return what `change` returns.

    Nothing is written where it returns False, or where the lock is taken and `wait` is off. A file
    that is damaged is moved aside, and what can be read of it is kept. Raises OSError.
    """
    from gieok import fs

    file = gate_choices_file(home)
    with fs.lock_resource(home, file, wait=wait) as is_free:
        if not is_free:
            return False
        try:
            choices = load_gate_choices(home)
        except DAMAGED:
            choices = GateChoices()
        if not change(choices):
            return False
        _set_damaged_aside(home, file)
        fs.replace_private(file, json.dumps(choices.build_row()))
    return True


class JudgedAction:
    """Action that a rule stopped: what the tool was given, and the checksum of it.

    `key` is the checksum where it is known, such as that of a text whose secrets are cut by now.
    """

    __slots__ = ("_key", "shown")

    def __init__(self, shown: str, key: str = "") -> None:
        self._key = key
        self.shown = shown

    @property
    def key(self) -> str:
        """Return the checksum, the same for the same text alone."""
        if not self._key:
            import hashlib  # loads OpenSSL: most actions that a rule asks about need no checksum

            text = self.shown.encode("utf-8", "surrogatepass")
            self._key = hashlib.sha256(text).hexdigest()
        return self._key

    @property
    def code(self) -> str:
        """Return the short name of the action, by which a person allows it."""
        return self.key[:_CODE_CHARS]


def write_judged_action(home: str, handle: str, action: JudgedAction) -> None:
    """Keep an action that a rule stopped, unless the lock is taken. Raises OSError.

    An action never takes the place of another one of the same code, which a person may have seen.
    """
    from gieok import fs

    file = gate_actions_file(home)
    with fs.lock_resource(home, file, wait=False) as is_free:
        rows = _load_judged_actions(file) if is_free else {}
        name = f"{handle} {action.code}"
        if is_free and name not in rows:
            rows[name] = [action.key, action.shown]
            fs.replace_private(file, json.dumps(dict(list(rows.items())[-_MOST_ACTIONS:])))


def find_judged_action(home: str, handle: str, code: str) -> "JudgedAction | None":
    """Return the action of a code that a rule stopped; None where it is not known."""
    row = _load_judged_actions(gate_actions_file(home)).get(f"{handle} {code}")
    return JudgedAction(row[1], row[0]) if row else None


def _load_judged_actions(file: str) -> "dict[str, list[str]]":
    """Return the actions; none where the file is damaged: the next action writes it anew."""
    try:
        with open(file, encoding="utf-8") as opened:
            rows = json.load(opened)
    except (OSError, ValueError):
        return {}
    return {
        name: row
        for name, row in (rows.items() if isinstance(rows, dict) else ())
        if isinstance(row, list) and len(row) == 2 and all(isinstance(each, str) for each in row)
    }
