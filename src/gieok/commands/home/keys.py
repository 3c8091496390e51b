"""`gieok keys list | set | rotate | test`: the keys of services.

A key is typed or read from stdin, never an argument.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Hidden
from gieok.errors import BadRequest, Phrase
from gieok.home.call import Call
from gieok.ports.keys import KeyRow, Trial, Verdict
from gieok.text.messages import Words

_LONGEST = 10_000
_KEY_OF = Words("whose key: a service (openai, smtp, ...) or a variable")
#: For people.
VERDICTS = {
    Verdict.VALID: Words("valid"),
    Verdict.INVALID: Words("invalid"),
    Verdict.QUOTA: Words("over its quota"),
    Verdict.UNREACHABLE: Words("unreachable"),
    Verdict.FAILED: Words("does not do"),
    Verdict.MISSING: Words("not set"),
    Verdict.UNTRIED: Words("not tried"),
}
_PLACES = {
    "environment": Words("environment"),
    "keyring": Words("keyring"),
}


@dataclass(frozen=True, slots=True)
class KeysResult:
    """All possible keys, without their values."""

    keys: tuple[KeyRow, ...]
    found: Hidden[bool] = True


@dataclass(frozen=True, slots=True)
class KeySetResult:
    """Variable that was set, its place, and the services' verdicts on the key."""

    variable: str
    place: str
    trials: tuple[Trial, ...] = ()
    found: Hidden[bool] = True


@dataclass(frozen=True, slots=True)
class KeysTestResult:
    """Verdict of each service on its key."""

    trials: tuple[Trial, ...]

    @property
    def found(self) -> bool:
        """True where there is a key, and all keys are valid."""
        return bool(self.trials) and all(trial.verdict is Verdict.VALID for trial in self.trials)


def render_service_keys(result: KeysResult, style: Style) -> str:
    """Show a line for each key."""
    wide = max(len(row.variable) for row in result.keys)
    lines = []
    for row in result.keys:
        place = _PLACES[row.place].say(style.lang) if row.place in _PLACES else row.place
        state = place or style.say("not set")
        used = style.say("used by {users}", users=", ".join(row.used_by)) if row.used_by else ""
        mark = "·" if row.place else "✗" if row.used_by else " "
        lines.append(
            f"{mark} {style.bold(row.variable.ljust(wide))}  {', '.join(row.names)}: {state}"
            + (f"; {used}" if used else "")
        )
    return "\n".join(
        [
            *lines,
            style.say("not tried: `gieok keys test` does; `gieok keys set NAME`"),
        ]
    )


@command(
    "keys list",
    Words("Say which keys of services there are and where, never what they are"),
    present=render_service_keys,
    examples=("gieok keys list",),
)
def list_service_keys(call: Call) -> KeysResult:
    """Return the place of each key."""
    return KeysResult(tuple(call.home.keys.rows()))


def render_stored_key(result: KeySetResult, style: Style) -> str:
    """Show the place of the key."""
    place_line = style.say(
        "{variable} is set in {place}", variable=result.variable, place=result.place
    )
    running = style.say("a running daemon uses it from its next call")
    proved = [] if result.trials else [style.say("prove it: `gieok keys test`")]
    return "\n".join(
        [
            *(_render_key_trial(trial, style) for trial in result.trials),
            f"{place_line}; {running}",
            *proved,
        ]
    )


def _render_key_trial(trial: Trial, style: Style) -> str:
    mark, verdict = find_verdict_sign(trial.verdict), VERDICTS[trial.verdict].say(style.lang)
    line = (
        f"{mark} {style.bold(trial.name)} ({trial.variable}): {verdict}: "
        f"{printable(style.told(trial.said))}"
    )
    return line + (f"\n    → {printable(style.told(trial.hint))}" if trial.hint else "")


@command(
    "keys set",
    Words("Ask for a key, unseen, and keep it (`.env`, 0600)"),
    present=render_stored_key,
    effect=Effect.WRITE,
    examples=(
        "gieok keys set openai",
        "gieok keys set smtp < password.txt",
        "pass show openai | gieok keys set openai",
    ),
)
def set_service_key(
    call: Call,
    *,
    name: Annotated[
        Sequence[str], Parameter(_KEY_OF, positional=True, needed="gieok keys set openai")
    ] = (),
) -> KeySetResult:
    """Ask for a key and store it. Raises BadRequest."""
    keys = call.home.keys
    row = keys.row(_require_key_name(name))
    keys.require_free(row)
    return KeySetResult(row.variable, keys.put(row, _read_typed_key(call, row)))


@command(
    "keys rotate",
    Words("Replace a key by the next one, once that proves valid"),
    present=render_stored_key,
    effect=Effect.WRITE,
    examples=("gieok keys rotate openai", "pass show openai | gieok keys rotate openai"),
)
def rotate_service_key(
    call: Call,
    *,
    name: Annotated[
        Sequence[str], Parameter(_KEY_OF, positional=True, needed="gieok keys set openai")
    ] = (),
) -> KeySetResult:
    """Ask for the next key, try it, and replace the current one.

    Raises BadRequest: then the current key stays.
    """
    keys = call.home.keys
    row = keys.row(_require_key_name(name))
    keys.require_free(row)
    if not row.place:
        raise BadRequest(
            "{variable} is not set: there is nothing to replace",
            variable=row.variable,
            key=row.names[0],
            hint="`gieok keys set {key}`",
        )
    value = _read_typed_key(call, row)
    trials = tuple(keys.test(row, value))
    if bad := next((trial for trial in trials if trial.verdict is not Verdict.VALID), None):
        raise BadRequest(
            "the key that was there stays: of the new one {name} says: {verdict}: {said}",
            name=bad.name,
            verdict=Phrase(bad.verdict.value),
            said=Phrase(bad.said),
            step=Phrase(bad.hint),
            key=row.names[0],
            hint="{step}; `gieok keys set {key}` keeps a key untried",
        )
    return KeySetResult(row.variable, keys.put(row, value), trials)


def render_key_trials(result: KeysTestResult, style: Style) -> str:
    """Show a line for each service, and the next step."""
    if not result.trials:
        return style.say("no key is set, and no setting needs one: `gieok keys list`")
    return "\n".join(_render_key_trial(trial, style) for trial in result.trials)


@command(
    "keys test",
    Words("Ask each service once whether it takes its key"),
    present=render_key_trials,
    effect=Effect.WRITE,
    examples=("gieok keys test", "gieok keys test openai smtp"),
)
def test_service_keys(
    call: Call,
    *,
    names: Annotated[
        Sequence[str],
        Parameter(
            Words("services or variables (default: all that are set or used)"), positional=True
        ),
    ] = (),
) -> KeysTestResult:
    """Ask each service once."""
    keys = call.home.keys
    rows = [keys.row(name) for name in names] or [
        row for row in keys.rows() if row.place or row.used_by
    ]
    return KeysTestResult(tuple(trial for row in dict.fromkeys(rows) for trial in keys.test(row)))


def _require_key_name(names: Sequence[str]) -> str:
    """Return the name of the key; other arguments may be a key, and are not shown."""
    if len(names) == 1:
        return names[0]
    raise BadRequest(
        "give one name, and no key: arguments stand in the shell's history",
        hint=(
            "`gieok keys set openai` asks for the key; `… < FILE` reads it. If you typed one, "
            "replace it"
        ),
    )


def _read_typed_key(call: Call, row: KeyRow) -> str:
    """Return a key that a person types unseen, or that is the only line on stdin.

    Raises BadRequest.
    """
    if sys.stdin.isatty():
        from getpass import getpass  # only here

        text = getpass(
            call.words("{variable} (not shown): ", variable=row.variable),
            sys.stderr,
        )
    else:
        text = sys.stdin.read(_LONGEST)
    value = text.strip()
    if not value:
        raise BadRequest(
            "no key was given: nothing is changed",
            hint="type or paste it when it is asked for, or give it on stdin",
        )
    if not (value.isprintable() and len(value) < _LONGEST):
        raise BadRequest(
            "that is no key: it has line breaks or signs that cannot be seen",
            hint="copy it again, alone",
        )
    return value


def find_verdict_sign(verdict: Verdict) -> str:
    """Return the sign of a verdict; a key that was not tried has a sign of its own.

    That sign is neither success nor failure.
    """
    return {Verdict.VALID: "✓", Verdict.UNTRIED: "–"}.get(verdict, "✗")
