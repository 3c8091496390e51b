"""`gieok encryption on | off | status | rotate`: encryption at rest of archives and backups."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

from gieok import extras
from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Hidden
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.ports.encryption import EncryptionChange, EncryptionStatus, SealedPlace
from gieok.text.messages import Words

_SHORTEST = 8
_KEY_FILE = Words("where the key is, or is to be made (default: in the home)")
_PASSPHRASE = Words("protect a new key by a passphrase, asked unseen (or GIEOK_PASSPHRASE)")
_NAMES = {
    "archive": Words("archive", about="a kind of file"),
    "backups": Words("backups"),
}


class ClearPlace(NamedTuple):
    """Place that stays in the clear, and the reason."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class EncryptionResult:
    """Encryption status of the home."""

    is_on: bool
    is_changing: bool
    recipient: str
    key_file: str
    has_passphrase: bool
    places: tuple[SealedPlace, ...]
    databases: tuple[SealedPlace, ...]
    can_files: bool
    can_databases: bool
    in_clear: tuple[ClearPlace, ...]
    found: Hidden[bool] = True


@dataclass(frozen=True, slots=True)
class EncryptionChangeResult:
    """Outcome of a change; `done` is False where a person refused, or work is left (`wrong`)."""

    done: bool
    recipient: str
    key_file: str
    is_new_key: bool
    files: int
    wrong: tuple[str, ...]

    @property
    def found(self) -> bool:
        """True where everything is done."""
        return self.done


def render_encryption_status(result: EncryptionResult, style: Style) -> str:
    """Show the encrypted places, the key, and the places in the clear."""
    if result.is_on:
        protected = style.say(", protected by a passphrase") if result.has_passphrase else ""
        head = style.say("encryption is on")
        lines = [
            f"{head}: {result.recipient}",
            f"  {style.say('key')}: {printable(result.key_file)}{protected}",
        ]
    else:
        lines = [style.say("encryption is off: `gieok encryption on`")]
    if not result.can_files:
        lines.append(
            style.say(
                "  not installed: `{install_command}`",
                install_command=extras.build_install_command("encryption"),
            )
        )
    if result.is_changing:
        lines.append(
            style.say("  ✗ a change was begun and is not done: run the same command again")
        )
    for place in result.places:
        name = _NAMES[place.name].say(style.lang)
        lines.append(
            style.say(
                "  {name}: {sealed:,} encrypted, {clear:,} in the clear",
                name=name,
                sealed=place.sealed,
                clear=place.clear,
            )
        )
    lines += _render_database_encryption(result, style)
    lines.append(style.say("always in the clear:"))
    return "\n".join(
        lines
        + [
            f"  {style.told(clear_place.path)}: {style.told(clear_place.reason)}"
            for clear_place in result.in_clear
        ]
    )


def _render_database_encryption(result: EncryptionResult, style: Style) -> list[str]:
    database_states = [
        (
            f"{database.name}: "
            f"{style.say('encrypted') if database.sealed else style.say('in the clear')}"
        )
        for database in result.databases
    ]
    names = style.say("databases")
    lines = [f"  {names}: {', '.join(database_states) or style.say('none')}"]
    if not result.can_databases:
        lines.append(
            style.say(
                "  they cannot be encrypted here: `{install_command}`",
                install_command=extras.build_install_command("encryption"),
            )
        )
    elif any(database.clear for database in result.databases):
        lines.append(style.say("  `gieok encryption on --databases` encrypts them"))
    return lines


@command(
    "encryption status",
    Words("Say what is encrypted, with which key, and what stays in the clear"),
    present=render_encryption_status,
    examples=("gieok encryption status",),
)
def read_encryption_status(call: Call) -> EncryptionResult:
    """Return the encryption status of the home."""
    known: EncryptionStatus = call.home.encryption.status()
    clear = tuple(ClearPlace(*row) for row in known.in_clear)
    return EncryptionResult(
        is_on=known.is_on,
        is_changing=known.is_changing,
        recipient=known.recipient,
        key_file=known.key_file,
        has_passphrase=known.has_passphrase,
        places=tuple(known.places),
        databases=tuple(known.databases),
        can_files=known.can_files,
        can_databases=known.can_databases,
        in_clear=clear,
    )


def render_encryption_change(result: EncryptionChangeResult, style: Style) -> str:
    """Show the changes, the place of the key, and the work that is left."""
    if not result.done and not result.wrong:
        return style.say("nothing was changed")
    lines = [style.say("{files:,} files written anew", files=result.files)]
    if result.key_file:
        lines.append(f"{style.say('the key')}: {style.bold(printable(result.key_file))}")
        lines.append(
            style.say("copy it to another place now: a password manager, a disk in a drawer")
        )
    lines += [f"  ✗ {printable(style.told(fault))}" for fault in result.wrong]
    if result.wrong:
        lines.append(style.say("run the same command again to go on"))
    return "\n".join(lines)


@command(
    "encryption on",
    Words("Encrypt archives and backups, those that are there too"),
    present=render_encryption_change,
    effect=Effect.WRITE,
    examples=(
        "gieok encryption on",
        "gieok encryption on --passphrase",
        "gieok encryption on --databases",
        "gieok encryption on --key-file /media/usb/gieok.key",
    ),
)
def turn_encryption_on(
    call: Call,
    *,
    key_file: Annotated[str, Parameter(_KEY_FILE)] = "",
    passphrase: Annotated[bool, Parameter(_PASSPHRASE)] = False,
    yes: Annotated[bool, Parameter(Words("do not ask"))] = False,
    databases: Annotated[
        bool, Parameter(Words("the databases of the home too (SQLCipher)"))
    ] = False,
) -> EncryptionChangeResult:
    """Encrypt everything, once a person confirms that they know what losing the key means."""
    return _change_encryption(
        call,
        lambda *words: call.home.encryption.on(*words, databases=databases),
        key_file=key_file,
        passphrase=passphrase,
        yes=yes,
    )


@command(
    "encryption rotate",
    Words("Encrypt everything with another key"),
    present=render_encryption_change,
    effect=Effect.WRITE,
    examples=("gieok encryption rotate", "gieok encryption rotate --passphrase"),
)
def rotate_encryption_key(
    call: Call,
    *,
    key_file: Annotated[str, Parameter(_KEY_FILE)] = "",
    passphrase: Annotated[bool, Parameter(_PASSPHRASE)] = False,
    yes: Annotated[bool, Parameter(Words("do not ask"))] = False,
) -> EncryptionChangeResult:
    """Change the key of everything."""
    return _change_encryption(
        call, call.home.encryption.rotate, key_file=key_file, passphrase=passphrase, yes=yes
    )


@command(
    "encryption off",
    Words("Decrypt archives and backups"),
    present=render_encryption_change,
    examples=("gieok encryption off",),
    effect=Effect.WRITE,
)
def turn_encryption_off(
    call: Call, *, yes: Annotated[bool, Parameter(Words("do not ask"))] = False
) -> EncryptionChangeResult:
    """Decrypt everything, once a person agrees."""
    lines = [call.words("archive and backups are decrypted, and new ones too")]
    if not yes and not _confirm_encryption_change(call, lines):
        return _build_unchanged_encryption()
    return _build_encryption_result(call.home.encryption.off())


def _change_encryption(
    call: Call,
    change: "Callable[[Path | None, Callable[[], str] | None], EncryptionChange]",
    *,
    key_file: str,
    passphrase: bool,
    yes: bool,
) -> EncryptionChangeResult:
    lines = [
        call.words(
            "Without the key nobody can read what is encrypted: not you, not us. Keep a copy "
            "of it somewhere else."
        ),
        call.words(
            "A key on this disk protects backups and copies that leave it, not this machine "
            "while it runs."
        ),
    ]
    if not yes and not _confirm_encryption_change(call, lines):
        return _build_unchanged_encryption()
    file = call.caller.path(key_file) if key_file else None
    ask: Callable[[], str] | None = (lambda: _ask_new_passphrase(call)) if passphrase else None
    return _build_encryption_result(change(file, ask))


def _confirm_encryption_change(call: Call, lines: list[str]) -> bool:
    return call.agrees(lines, call.words("go on? (y/N) "), "give --yes")


def _ask_new_passphrase(call: Call) -> str:
    """Return the passphrase for a new key: from the settings, or typed twice, unseen.

    Raises BadRequest.
    """
    known = call.home.settings.secret("GIEOK_PASSPHRASE")
    if not known and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise BadRequest(
            "nobody can be asked for a passphrase: there is no terminal",
            hint="set GIEOK_PASSPHRASE in the environment or in `.env`",
        )
    if not known:
        from getpass import getpass  # only here

        known = getpass(call.words("new passphrase (not shown): "), sys.stderr)
        if known != getpass(call.words("again: "), sys.stderr):
            raise BadRequest("these are two passphrases: nothing is changed", hint="run it again")
    if len(known) < _SHORTEST:
        raise BadRequest(
            "a passphrase has at least {shortest} signs: nothing is changed",
            shortest=_SHORTEST,
            hint="four words do well",
        )
    return known


def _build_unchanged_encryption() -> EncryptionChangeResult:
    return EncryptionChangeResult(
        done=False, recipient="", key_file="", is_new_key=False, files=0, wrong=()
    )


def _build_encryption_result(change: EncryptionChange) -> EncryptionChangeResult:
    return EncryptionChangeResult(
        done=not change.wrong,
        recipient=change.recipient,
        key_file=change.key_file,
        is_new_key=change.is_new_key,
        files=change.files,
        wrong=tuple(change.wrong),
    )
