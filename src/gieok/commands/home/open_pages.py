"""`gieok open`: open the pages in a browser of this machine; start a server where none runs."""

import webbrowser
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from gieok.commands.command import Effect, Parameter, Style, command
from gieok.commands.encode import Hidden
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.processes.gate import Gate
from gieok.text.messages import Words


@dataclass(frozen=True, slots=True)
class OpenResult:
    """Link that admits one browser once, within five minutes, and whether a server was started."""

    link: str
    opened: bool
    started: bool
    found: Hidden[bool] = True


def render_page_link(result: OpenResult, style: Style) -> str:
    """Show the link."""
    note = style.say("works once, within five minutes")
    lines = [result.link, f"  {style.dim(note)}"]
    if result.started:
        server_note = style.say("a server was started for it; `gieok down` stops it")
        lines.append(f"  {style.dim(server_note)}")
    return "\n".join(lines)


@command(
    "open",
    Words("Open your home page in the browser"),
    present=render_page_link,
    examples=("gieok open", "gieok open --print-only"),
    effect=Effect.WRITE,
)
def open_web_pages(
    call: Call, *, print_only: Annotated[bool, Parameter(Words("only print the link"))] = False
) -> OpenResult:
    """Make a link, and open it in the browser where there is one."""
    if call.home.daemon is None:
        raise BadRequest(
            "this process cannot start a server", hint="run `gieok open` on the command line"
        )
    call.say(call.words("starting the server"))
    server, started = call.home.daemon.serve()
    gate = Gate(call.home.folder, lambda: call.clock.now().timestamp())
    # The server runs in another folder: a caller in a project sees that project first.
    chosen = {"scope": call.scope.path} if call.project or call.is_scope_named else {}
    link = f"{server.url}/open?{urlencode({'code': gate.link_code(), **chosen})}"
    # Without a terminal there is no person to see a browser.
    opened = call.ask is not None and not print_only and webbrowser.open(link)
    return OpenResult(link, opened, started)
