"""`gieok encryption on | off | status | rotate`: encryption at rest of archives and backups."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gieok import extras
from gieok.errors import BadRequest
from gieok.ops.context import Context
from gieok.ops.encode import Hidden
from gieok.ops.operation import Effect, NoRequest, Operation, Style, Words, argument, printable
from gieok.ports.encryption import EncryptionChange, EncryptionStatus, SealedPlace

_SHORTEST = 8
_KEY_FILE = Words(
    "where the key is, or is to be made (default: in the home)",
    "키가 있거나 만들 파일 (기본: 홈 안)",
)
_PASSPHRASE = Words(
    "protect a new key by a passphrase, asked unseen (or GIEOK_PASSPHRASE)",
    "새 키를 암호로 보호함; 보이지 않게 묻거나 GIEOK_PASSPHRASE",
)
_NAMES = {
    "archive": Words("archive", "보관한 기억"),
    "backups": Words("backups", "백업"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EncryptionRequest:
    """Parameters of `gieok encryption on` and `rotate`."""

    key_file: str = argument(_KEY_FILE, "")
    passphrase: bool = argument(_PASSPHRASE, False)
    yes: bool = argument(Words("do not ask", "묻지 않음"), False)


@dataclass(frozen=True, slots=True, kw_only=True)
class EncryptionOnRequest(EncryptionRequest):
    """Parameters of `gieok encryption on`."""

    databases: bool = argument(
        Words("the databases of the home too (SQLCipher)", "홈의 데이터베이스도 (SQLCipher)"), False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EncryptionOffRequest:
    """Parameters of `gieok encryption off`."""

    yes: bool = argument(Words("do not ask", "묻지 않음"), False)


class ClearPlace(NamedTuple):
    """What stays in the clear, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class EncryptionResult:
    """How the home is encrypted."""

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
    """What a change did; `done` is False where a person said no, or something is left (`wrong`)."""

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


def read_encryption_status(context: Context, request: NoRequest) -> EncryptionResult:
    """Return what is encrypted."""
    del request
    known: EncryptionStatus = context.admin.encryption().status()
    clear = tuple(ClearPlace(*one) for one in known.in_clear)
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


def turn_encryption_on(context: Context, request: EncryptionOnRequest) -> EncryptionChangeResult:
    """Encrypt everything, once a person knows what losing the key means."""
    return _change_encryption(
        context,
        request,
        lambda *words: context.admin.encryption().on(*words, databases=request.databases),
    )


def rotate_encryption_key(context: Context, request: EncryptionRequest) -> EncryptionChangeResult:
    """Change the key of everything."""
    return _change_encryption(
        context, request, lambda *words: context.admin.encryption().rotate(*words)
    )


def turn_encryption_off(context: Context, request: EncryptionOffRequest) -> EncryptionChangeResult:
    """Decrypt everything, once a person agrees."""
    lines = [
        context.words(
            "archive and backups are decrypted, and new ones too",
            "보관한 기억과 백업을 해독해 둡니다",
        )
    ]
    if not request.yes and not _confirm_encryption_change(context, lines):
        return _build_unchanged_encryption()
    return _build_encryption_result(context.admin.encryption().off())


def _change_encryption(
    context: Context,
    request: EncryptionRequest,
    change: "Callable[[Path | None, Callable[[], str] | None], EncryptionChange]",
) -> EncryptionChangeResult:
    lines = [
        context.words(
            (
                "Without the key nobody can read what is encrypted: not you, not us. Keep a copy "
                "of it somewhere else."
            ),
            "키를 잃으면 암호화한 것은 누구도 읽을 수 없습니다. 키를 다른 곳에도 복사해 두세요.",
        ),
        context.words(
            (
                "A key on this disk protects backups and copies that leave it, not this machine "
                "while it runs."
            ),
            "이 디스크에 둔 키는 밖으로 나간 백업과 사본을 지킬 뿐, 켜져 있는 이 컴퓨터를 지키지는 않습니다.",
        ),
    ]
    if not request.yes and not _confirm_encryption_change(context, lines):
        return _build_unchanged_encryption()
    file = context.caller.path(request.key_file) if request.key_file else None
    ask: Callable[[], str] | None = (
        (lambda: _ask_new_passphrase(context)) if request.passphrase else None
    )
    return _build_encryption_result(change(file, ask))


def _confirm_encryption_change(context: Context, lines: list[str]) -> bool:
    return context.agrees(lines, context.words("go on? (y/N) ", "계속할까요? (y/N) "), "give --yes")


def _ask_new_passphrase(context: Context) -> str:
    """Return the passphrase for a new key: as it is set, or typed twice, unseen. Raises
    BadRequest.
    """
    known = context.admin.secret("GIEOK_PASSPHRASE")
    if not known and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise BadRequest(
            "nobody can be asked for a passphrase: there is no terminal",
            hint="set GIEOK_PASSPHRASE in the environment or in `.env`",
        )
    if not known:
        from getpass import getpass  # only here

        known = getpass(
            context.words("new passphrase (not shown): ", "새 암호 (보이지 않음): "), sys.stderr
        )
        if known != getpass(context.words("again: ", "다시: "), sys.stderr):
            raise BadRequest("these are two passphrases: nothing is changed", hint="run it again")
    if len(known) < _SHORTEST:
        raise BadRequest(
            f"a passphrase has at least {_SHORTEST} signs: nothing is changed",
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


def render_encryption_status(result: EncryptionResult, style: Style) -> str:
    """Show what is encrypted, with which key, and what is not."""
    if result.is_on:
        protected = (
            style.say(", protected by a passphrase", ", 암호로 보호됨")
            if result.has_passphrase
            else ""
        )
        head = style.say("encryption is on", "암호화 켜짐")
        lines = [
            f"{head}: {result.recipient}",
            f"  {style.say('key', '키')}: {printable(result.key_file)}{protected}",
        ]
    else:
        lines = [
            style.say(
                "encryption is off: `gieok encryption on`", "암호화 꺼짐: `gieok encryption on`"
            )
        ]
    if not result.can_files:
        lines.append(
            style.say(
                f"  not installed: `{extras.build_install_command('encryption')}`",
                f"  설치되지 않음: `{extras.build_install_command('encryption')}`",
            )
        )
    if result.is_changing:
        lines.append(
            style.say(
                "  ✗ a change was begun and is not done: run the same command again",
                "  ✗ 바꾸던 것이 끝나지 않았습니다: 같은 명령을 다시 실행하세요",
            )
        )
    for place in result.places:
        name = _NAMES[place.name].say(style.lang)
        lines.append(
            style.say(
                f"  {name}: {place.sealed:,} encrypted, {place.clear:,} in the clear",
                f"  {name}: 암호화 {place.sealed:,}개, 그대로 {place.clear:,}개",
            )
        )
    lines += _render_database_encryption(result, style)
    lines.append(style.say("always in the clear:", "언제나 그대로:"))
    return "\n".join(
        lines + [f"  {style.told(one.path)}: {style.told(one.reason)}" for one in result.in_clear]
    )


def _render_database_encryption(result: EncryptionResult, style: Style) -> list[str]:
    database_states = [
        (
            f"{one.name}: "
            f"{style.say('encrypted', '암호화됨') if one.sealed else style.say('in the clear', '그대로')}"
        )
        for one in result.databases
    ]
    names = style.say("databases", "데이터베이스")
    lines = [f"  {names}: {', '.join(database_states) or style.say('none', '없음')}"]
    if not result.can_databases:
        lines.append(
            style.say(
                f"  they cannot be encrypted here: `{extras.build_install_command('encryption')}`",
                f"  여기서는 암호화할 수 없음: `{extras.build_install_command('encryption')}`",
            )
        )
    elif any(one.clear for one in result.databases):
        lines.append(
            style.say(
                "  `gieok encryption on --databases` encrypts them",
                "  `gieok encryption on --databases`로 암호화합니다",
            )
        )
    return lines


def render_encryption_change(result: EncryptionChangeResult, style: Style) -> str:
    """Show what was done, where the key is, and what is left."""
    if not result.done and not result.wrong:
        return style.say("nothing was changed", "아무것도 바꾸지 않았습니다")
    lines = [
        style.say(
            f"{result.files:,} files written anew", f"파일 {result.files:,}개를 새로 썼습니다"
        )
    ]
    if result.key_file:
        lines.append(f"{style.say('the key', '키')}: {style.bold(printable(result.key_file))}")
        lines.append(
            style.say(
                "copy it to another place now: a password manager, a disk in a drawer",
                "지금 다른 곳에 복사하세요: 암호 관리자, 서랍 속 디스크",
            )
        )
    lines += [f"  ✗ {printable(style.told(one))}" for one in result.wrong]
    if result.wrong:
        lines.append(
            style.say(
                "run the same command again to go on", "같은 명령을 다시 실행하면 이어서 합니다"
            )
        )
    return "\n".join(lines)


STATUS = Operation(
    name="encryption status",
    examples=("gieok encryption status",),
    handler=read_encryption_status,
    present=render_encryption_status,
    doc=Words(
        "Say what is encrypted, with which key, and what stays in the clear",
        "무엇이 어떤 키로 암호화되었고 무엇이 그대로인지 보여 줍니다",
    ),
)
ON = Operation(
    name="encryption on",
    handler=turn_encryption_on,
    present=render_encryption_change,
    effect=Effect.WRITE,
    examples=(
        "gieok encryption on",
        "gieok encryption on --passphrase",
        "gieok encryption on --databases",
        "gieok encryption on --key-file /media/usb/gieok.key",
    ),
    doc=Words(
        "Encrypt archives and backups, those that are there too",
        "보관한 기억과 백업을 암호화합니다 (이미 있는 것도)",
    ),
)
ROTATE = Operation(
    name="encryption rotate",
    handler=rotate_encryption_key,
    present=render_encryption_change,
    effect=Effect.WRITE,
    examples=("gieok encryption rotate", "gieok encryption rotate --passphrase"),
    doc=Words("Encrypt everything with another key", "모든 것을 다른 키로 다시 암호화합니다"),
)
OFF = Operation(
    name="encryption off",
    examples=("gieok encryption off",),
    handler=turn_encryption_off,
    present=render_encryption_change,
    effect=Effect.WRITE,
    doc=Words("Decrypt archives and backups", "보관한 기억과 백업을 해독해 둡니다"),
)
