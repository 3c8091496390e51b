"""`gieok serve`: runs the HTTP API on uvicorn until a signal stops it."""

import errno
import ipaddress
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gieok import __version__, extras, paths
from gieok.character.house import House
from gieok.errors import BadConfig, BadRequest, Phrase, find_os_reason
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.home.resident import Resident
from gieok.processes import http_address
from gieok.processes.gate import Gate
from gieok.processes.http_address import ServerStatus
from gieok.surfaces.http.options import JWT_VARIABLE, HttpOptions, read_http_options

if TYPE_CHECKING:
    import uvicorn

#: Seconds after SIGTERM in which replies under way are finished; then they are cut, and charged by
#: the rule for cut replies.
_DRAIN_S = 20
_LAST_PORT = 65_535
_KEY_COMMAND = "gieok character key create --admin"


def main(flags: Mapping[str, str], lang: str) -> int:
    """Serve until a signal; return the exit status.

    `flags` is setting → text. Raises GieokError.
    """
    return run_http_server(flags, lang, "serve")


def run_http_server(
    flags: Mapping[str, str],
    lang: str,
    by: str,
    *,
    any_port: bool = False,
    drain_s: int = _DRAIN_S,
    started: "Callable[[uvicorn.Server, str], None]" = lambda server, url: None,
) -> int:
    """Serve until a signal; return the exit status.

    `by` says who starts the server (`ServerStatus.by`). With `any_port`, any free port is taken
    where the configured port is in use. `started` is called with the server and its URL once the
    server answers. Raises GieokError.
    """
    with extras.imports_of("serve", "gieok serve"):
        import uvicorn

        from gieok.surfaces.http.app import create_http_app
        from gieok.surfaces.http.connections import PatientProtocol, allow_files
        from gieok.surfaces.python import Memory
        from gieok.surfaces.web.routes import routes
        from gieok.surfaces.web.site import MemorySite
    resident = Resident()
    call = open_call(flags, lang=lang, resident=resident)
    options = read_http_options(call.home.settings.text, call.home.settings.secret)
    house = call.home.house
    _check_exposure(house, options)
    bound = _bind_http_socket(options.host, options.port, any_port=any_port)
    address = http_address.url(*bound.getsockname()[:2])
    gate = Gate(call.home.folder, lambda: call.clock.now().timestamp())
    site = MemorySite(lambda scope: Memory(scope=scope, resident=resident, has_daemon=True), gate)
    app = create_http_app(
        lambda: house, call.home.stores.limiter, options, gate, routes(site), resident
    )
    # A failure of something that the server needs is reported here, and not in a traceback of the
    # startup.
    app.state.reception()
    _log_to_stderr(logging.INFO if by == "serve" else logging.WARNING)
    if by == "serve":
        _announce_server(call, bound, gate.link_code())
    config = uvicorn.Config(
        app,
        http=PatientProtocol,
        loop="asyncio",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=drain_s,
    )
    allow_files()
    status = ServerStatus(
        url=address,
        pid=os.getpid(),
        by=by,
        started_at=call.clock.now().isoformat(timespec="seconds"),
        version=__version__,
    )

    _serve_until_signal(config, bound, call.home.folder, status, started)
    house.turns.close()
    return 0


def _serve_until_signal(
    config: "uvicorn.Config",
    bound: socket.socket,
    home: Path,
    status: ServerStatus,
    started: "Callable[[uvicorn.Server, str], None]",
) -> None:
    """Answer requests until a signal.

    `status` is on record in the home from the moment the server answers until it ends.
    """
    with extras.imports_of("serve", "gieok serve"):
        import uvicorn

    class Noted(uvicorn.Server):
        """Says where it listens once it answers."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            http_address.note_listening_server(home, status)
            started(self, status.url)

    server = Noted(config)
    # A signal that comes before the server listens counts too; later uvicorn drains, and raises the
    # signals that it caught again.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: setattr(server, "should_exit", True))
    try:
        server.run(sockets=[bound])
    finally:
        http_address.forget_listening_server(home, status.pid)


def _check_exposure(house: House, options: HttpOptions) -> None:
    """Raise BadConfig where other machines can reach the server and callers cannot be told
    apart.
    """
    if _is_loopback(options.host) or options.tokens.is_configured or house.accounts.keys(""):
        return
    hint = Phrase(
        "make a key (`{command}`) or set {variable}, then start again; or leave "
        "serve.host as 127.0.0.1",
        command=_KEY_COMMAND,
        variable=JWT_VARIABLE,
    )
    raise BadConfig(
        "{host!r} is open to other machines, and no key is configured",
        host=options.host,
        hint=hint,
        setting="serve.host",
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _bind_http_socket(host: str, port: int, *, any_port: bool = False) -> socket.socket:
    """Return a listening socket.

    Where the port is in use, another port is taken with `any_port`; else BadRequest is raised.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    if port > _LAST_PORT:
        raise BadRequest(
            "{port} is no port", port=port, last=_LAST_PORT, hint="0 to {last}; 0: any that is free"
        )
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            if any_port:
                return _bind_http_socket(host, 0)
            hint = "another server runs there: stop it, or name another with --port"
            raise BadRequest(
                "port {port} of {host} is in use", port=port, host=host, hint=hint
            ) from error
        hint = "name an address of this machine with --host, and a port above 1023 with --port"
        raise BadRequest(
            "cannot listen on {host} port {port}: {reason}",
            host=host,
            port=port,
            reason=find_os_reason(error),
            hint=hint,
        ) from error


#: Said of a server that listens on more than this machine.
_EXPOSED = "other machines can reach it; each request needs a key or a token"


def _announce_server(call: Call, bound: socket.socket, code: str) -> None:
    """Print on stderr where the server listens, and how to get in.

    The link to the pages is printed only on a terminal, and into no log.
    """
    host, port = bound.getsockname()[:2]
    token = paths.locate_owner_token(call.home.folder)
    shown = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    what = f"{shown} (OpenAPI: {shown}/openapi.json)"
    for line in (
        call.words("Gieok serves {what}", what=what),
        *([] if _is_loopback(host) else [call.words(_EXPOSED)]),
        *(
            [call.words("your pages: {shown}/open?code={code}", shown=shown, code=code)]
            * sys.stderr.isatty()
        ),
        call.words("your token for programs: in {token}", token=token),
        *(
            []
            if call.home.house.accounts.keys("")
            else [call.words("a first key: `{KEY_COMMAND}`", KEY_COMMAND=_KEY_COMMAND)]
        ),
    ):
        print(line, file=sys.stderr, flush=True)  # noqa: T201 - talk


def _log_to_stderr(level: int) -> None:
    logging.basicConfig(
        stream=sys.stderr, level=level, format="%(asctime)s %(levelname)s %(message)s"
    )
    for noisy in ("uvicorn", "uvicorn.error", "httpx", "limits"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
