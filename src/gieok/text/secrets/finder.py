"""The finder of secrets by sense: of this process, or of the call that a thread answers."""

from collections.abc import Callable, Sequence
from contextvars import ContextVar

#: Returns the places [start, end) of secrets in a text, in order, none inside of another. The
#: second argument says whether somebody said the text, or it is a document.
FindSecrets = Callable[[str, bool], Sequence[tuple[int, int]]]


def _find_nothing(text: str, is_said: bool) -> Sequence[tuple[int, int]]:
    del text, is_said
    return ()


_of_process: FindSecrets = _find_nothing
#: Of a call in a process that answers several callers: one caller's settings never hold for what
#: the process itself reads.
_of_call: ContextVar[FindSecrets | None] = ContextVar("_of_call", default=None)


def use_secret_finder(find: FindSecrets | None, *, in_call: bool = False) -> None:
    """Set the finder of the process, or, `in_call`, of this thread alone; None for none."""
    global _of_process  # noqa: PLW0603 - every caller of redaction needs it
    chosen = find or _find_nothing
    _of_call.set(chosen if in_call else None)
    if not in_call:
        _of_process = chosen


def find_secrets(text: str, *, is_said: bool) -> Sequence[tuple[int, int]]:
    """Return what the finder finds; nothing where the text announces no secret."""
    find = _of_call.get() or _of_process
    if find is _find_nothing:
        return ()
    from gieok.text.secrets.cues import announces_secret  # compiles its patterns

    return find(text, is_said) if announces_secret(text, is_said=is_said) else ()
