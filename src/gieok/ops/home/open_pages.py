"""`gieok open`: let a browser of this machine see the pages of `gieok serve`."""

import webbrowser
from dataclasses import dataclass

from gieok.ops.context import Context
from gieok.ops.encode import Hidden
from gieok.ops.home.gate import Gate
from gieok.ops.operation import Effect, Operation, Style, Words, argument


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRequest:
    """Parameters of `gieok open`."""

    print_only: bool = argument(Words("only print the link", "링크만 보임"), False)


@dataclass(frozen=True, slots=True)
class OpenResult:
    """A link that lets one browser in, once, within five minutes."""

    link: str
    opened: bool
    found: Hidden[bool] = True


def run(context: Context, request: OpenRequest) -> OpenResult:
    """Make a link, and hand it to the browser where there is one."""
    gate = Gate(context.home, lambda: context.clock.now().timestamp())
    link = f"http://127.0.0.1:{context.admin.setting('serve.port')}/open?code={gate.link_code()}"
    # Without a terminal nobody sits there.
    return OpenResult(link, context.ask is not None and not request.print_only and webbrowser.open(link))


def present(result: OpenResult, style: Style) -> str:
    """Show the link."""
    note = style.say(
        "works once, within five minutes; `gieok serve` must run",
        "한 번, 5분 안에 통합니다. `gieok serve`가 떠 있어야 합니다",
    )
    return f"{result.link}\n  {style.dim(note)}"


OPERATION = Operation(
    name="open",
    examples=("gieok open", "gieok open --print-only"),
    handler=run,
    present=present,
    doc=Words("Open the pages of `gieok serve` in a browser", "`gieok serve`의 페이지를 브라우저로 엽니다"),
    effect=Effect.WRITE,
)
