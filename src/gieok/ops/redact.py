"""`gieok redact`: text without its secrets, as they are cut wherever Gieok stores or sends anything."""

import sys
from dataclasses import dataclass, field

from gieok.errors import BadRequest
from gieok.ops.context import Context
from gieok.ops.operation import Operation, Style, Words, argument
from gieok.text.redact import redact_counted


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactRequest:
    """Parameters of `gieok redact`."""

    stdin: bool = argument(Words("read text, print it without secrets", "글을 읽어 비밀을 가려서 출력"), False)
    source: bool = argument(
        Words("it is source code: cut quoted values, key blocks, known shapes", "소스 코드: 따옴표 값, 키 블록, 알려진 모양만"),
        False,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class RedactResult:
    """The text without secrets, and how many of each kind were cut."""

    text: str
    counts: dict[str, int]
    found: bool = field(default=True)

    def to_json(self) -> object:
        """Return the documented shape."""
        return {"text": self.text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"), "found": self.counts}


def run(context: Context, request: RedactRequest) -> RedactResult:
    """Read all of standard input. Raises BadRequest."""
    del context
    if not request.stdin:
        raise BadRequest("there is nothing to redact", hint="`gieok redact --stdin < FILE`")
    text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    return RedactResult(*redact_counted(text, source=request.source))


def present(result: RedactResult, style: Style) -> str:
    """Show the text alone."""
    del style
    return result.text


OPERATION = Operation(
    name="redact",
    request=RedactRequest,
    handler=run,
    present=present,
    is_verbatim=True,
    doc=Words("Print text without its secrets", "글에서 비밀을 가려 출력합니다"),
)
