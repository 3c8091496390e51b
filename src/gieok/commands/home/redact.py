"""`gieok redact`: remove secrets from a text, by the rules for all that Gieok stores or sends."""

import sys
from dataclasses import dataclass
from typing import Annotated

from gieok.commands.absence import gap_lines
from gieok.commands.command import Effect, Parameter, Style, command
from gieok.commands.encode import Hidden, Inline, Omitted, mark_encoded_getter
from gieok.commands.home import clean_up
from gieok.commands.home.clean_up import Cleaned
from gieok.commands.memory import gaps
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.text.messages import Words, in_language
from gieok.text.redact.sense import redact_said_counted


@dataclass(frozen=True, slots=True)
class RedactResult:
    """Text without secrets, and the number of secrets removed of each kind."""

    text: Hidden[str]
    #: Number of secrets removed of each kind.
    found_: dict[str, int]
    found: Hidden[bool] = True

    @property
    @mark_encoded_getter
    def text_(self) -> str:
        """Return the text, with bytes that are not UTF-8 replaced."""
        return self.text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class StoredResult:
    """Stored texts with a secret in them, and whether the secrets are removed now."""

    cleaned: Inline[Cleaned]
    applied: bool
    lang: Hidden[str]
    #: Places that were not searched; left out where all were searched.
    not_looked_at: Omitted[tuple[Words, ...]] = None

    @property
    def found(self) -> bool:
        """False where no stored text holds a secret."""
        return self.cleaned.total > 0

    @property
    def text(self) -> str:
        """Return the lines that a person reads."""
        c = self.cleaned
        head = Words.of(
            (
                "with a secret: {journal} in the journal, {documents} documents, {records} "
                "records, {files} other files"
            ),
            journal=c.journal,
            documents=c.documents,
            records=c.records,
            files=c.files,
        )
        note = (
            Words("they are cut out now")
            if self.applied
            else Words("`gieok redact --all --apply` cuts them out")
        )
        lines = [head.say(self.lang), *([note.say(self.lang)] if self.found else [])]
        lines += gap_lines(self.not_looked_at, Style(self.lang, colour=False))
        return (
            "\n".join(
                [
                    *lines,
                    *(f"  ✗ {place}: {in_language(why, self.lang)}" for place, why in c.still_in),
                ]
            )
            + "\n"
        )


def render_redacted_text(result: RedactResult | StoredResult, style: Style) -> str:
    """Show the text alone."""
    del style
    return result.text


@command(
    "redact",
    Words("Print text without its secrets"),
    present=render_redacted_text,
    examples=("gieok redact --stdin < notes.txt",),
    is_verbatim=True,
    effect=Effect.DESTROY,
)
def redact_text_or_home(
    call: Call,
    *,
    stdin: Annotated[bool, Parameter(Words("read text, print it without secrets"))] = False,
    all: Annotated[bool, Parameter(Words("count what was stored with a secret in it"))] = False,
    apply: Annotated[bool, Parameter(Words("with --all: cut them out"))] = False,
    source: Annotated[
        bool, Parameter(Words("it is source code: cut quoted values, key blocks, known shapes"))
    ] = False,
) -> RedactResult | StoredResult:
    """Redact standard input, or check all stored text. Raises BadRequest."""
    if all and not stdin:
        cleaned = clean_up.redact_stored_home(call, is_dry=not apply)
        return StoredResult(cleaned, apply, call.lang, tuple(gaps.gaps_of_backups(call)) or None)
    if not stdin or all or apply:
        raise BadRequest(
            "there is nothing to redact",
            hint="`gieok redact --stdin < FILE`, or `gieok redact --all` for what is stored",
        )
    text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    return RedactResult(*redact_said_counted(text, source=source))
