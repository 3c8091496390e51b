"""Runs any operation by name, for the command line, tools and the daemon.

Errors are answers too.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from gieok.commands import load_command
from gieok.commands.command import Command, Style, Surface
from gieok.commands.encode import encode
from gieok.commands.request import check_request
from gieok.errors import STATUS, GieokError, Phrase, decode_phrase, encode_phrase
from gieok.home.call import Call

#: Settings that are left out, each of which is told by itself.
_MOST_TROUBLES = 3


class Failure(NamedTuple):
    """Error as it is sent to a caller: its stable code, what happened, and the next step."""

    code: str
    message: str
    hint: str

    def encode(self) -> dict[str, Any]:
        """Return the documented JSON: the English texts, their templates and the values."""
        of_message, of_hint = encode_phrase(self.message), encode_phrase(self.hint)
        return {
            **self._asdict(),
            **of_message,
            "hint_template": of_hint["template"],
            "hint_values": of_hint["values"],
        }


def decode_failure(row: Mapping[str, Any]) -> Failure:
    """Return an error that came as JSON, so that it can be shown in the reader's language."""
    # A daemon of an earlier build sends finished texts.
    said = {"template": row.get("template", row["message"]), "values": row.get("values", {})}
    hint = {"template": row.get("hint_template", row["hint"]), "values": row.get("hint_values", {})}
    return Failure(row["code"], decode_phrase(said), decode_phrase(hint))


class OperationAnswer(NamedTuple):
    """Answer to a caller.

    `data` is the documented JSON; `status` the exit status: 0 done, 1 nothing found, 2 an error.
    """

    found: bool
    data: object
    text: str
    status: int
    failure: Failure | None = None


def run_operation(
    name: str,
    values: Mapping[str, object],
    call_for: Callable[[Command[..., Any]], Call],
    surface: Surface = Surface.CLI,
    *,
    lang: str = "",
    colour: bool = False,
    verbatim: bool = False,
) -> OperationAnswer:
    """Check the request, run the operation, and encode its result; a GieokError becomes a failure.

    `values` is parameter → value; `call_for` opens the call of the caller. The text is in `lang`,
    else in the call's language.
    """
    chosen = load_command(name)
    try:
        parameters = check_request(chosen, values, surface)
        call = call_for(chosen)
        for line in () if chosen.forgives_config else _list_troubles(call.troubles):
            call.tell(line)
        result = chosen(call, **parameters)
        caller = call.caller
        style = Style(
            lang=lang or call.lang,
            colour=colour,
            verbatim=verbatim,
            folder=str(caller.folder),
            user=str(caller.user),
        )
        text = chosen.present(result, style)
    except GieokError as error:
        return build_failed_answer(error)
    return OperationAnswer(result.found, encode(result), text, 0 if result.found else 1)


def _list_troubles(troubles: Sequence[GieokError]) -> list[str]:
    """Return what a caller is told of settings that are left out: each one, or how many of many.

    A configuration written after one of the original documents has two dozen at once.
    """
    if len(troubles) <= _MOST_TROUBLES:
        return [
            Phrase("{error}; it is left out: `gieok config show`", error=error)
            for error in troubles
        ]
    return [
        Phrase(
            "{error}; it is left out, and so are {more} more settings: `gieok config show`",
            error=troubles[0],
            more=len(troubles) - 1,
        )
    ]


def build_failed_answer(error: GieokError) -> OperationAnswer:
    """Return an error as an answer."""
    failure = Failure(error.code, str(error), error.hint)
    return OperationAnswer(
        found=False,
        data={"error": failure.encode()},
        text="",
        status=STATUS[error.code][0],
        failure=failure,
    )
