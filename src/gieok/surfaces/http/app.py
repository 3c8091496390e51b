"""The FastAPI application, made from a house."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cache
from importlib.resources import files
from typing import Any

import anyio
import anyio.to_thread
from fastapi import FastAPI, Request
from fastapi.middleware.cors import CORSMiddleware
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse, Response
from starlette.routing import BaseRoute

from gieok import __version__
from gieok.character.house import House
from gieok.errors import GieokError
from gieok.home.resident import Resident
from gieok.ports.limits import RateLimiter
from gieok.processes.gate import COOKIE, Gate
from gieok.surfaces.http import problems
from gieok.surfaces.http.access import (
    ANYBODY,
    KNOWN_QUERY,
    READERS,
    BearerCredentials,
    Desk,
    OwnerCredentials,
    Reception,
    require_any_caller,
)
from gieok.surfaces.http.envelope import Envelope
from gieok.surfaces.http.guards import BodyGuard, HostGuard
from gieok.surfaces.http.metrics import Metrics
from gieok.surfaces.http.operations import describe_operation_routes as described_operations
from gieok.surfaces.http.options import HttpOptions
from gieok.surfaces.http.reference import HEADERS, SCRIPT, render_reference
from gieok.surfaces.http.routes import (
    account,
    admin,
    characters,
    mcp,
    memories,
    openai,
    operations,
    points,
    system,
    turn,
    user_pages,
)
from gieok.surfaces.http.tokens import Tokens

_ROUTERS = (memories, characters, turn, points, account, admin)
#: Routes that check their query fields themselves, or serve others' protocols, whose clients send
#: fields of their own.
_OTHER_ROUTERS = (system, operations, openai, mcp)
#: Interval at which points that a crash left on hold are settled.
_SETTLE_S = 600
#: Operations that run at the same time; more wait.
_MOST_OPERATIONS = 8
_ABOUT = (
    "What Gieok remembers, by its operations; characters that remember. Every request but "
    "/health and /ready needs a token "
    "or a key."
)


def create_http_app(
    open_house: Callable[[], House],
    open_limiter: Callable[[], RateLimiter],
    options: HttpOptions,
    gate: Gate,
    pages: Sequence[BaseRoute] = (),
    resident: Resident | None = None,
) -> FastAPI:
    """Return the application.

    `open_house` and `open_limiter` are called once, when the house is first needed. `pages` are
    routes beside the API's; `resident` keeps the objects that operations share.
    """
    metrics, shared = Metrics(), resident or Resident()

    @cache
    def reception() -> Reception:
        house = open_house()
        tokens = Tokens(options.tokens, house.memory.clock)
        streams = anyio.CapacityLimiter(options.threads)
        limiter = open_limiter()
        metrics.watch(lambda: limiter.is_shared)
        return Reception(
            house=house,
            options=options,
            tokens=tokens,
            metrics=metrics,
            limiter=limiter,
            gate=gate,
            resident=shared,
            streams=streams,
            operations=anyio.CapacityLimiter(_MOST_OPERATIONS),
        )

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        del app
        anyio.to_thread.current_default_thread_limiter().total_tokens = options.threads
        desk = await anyio.to_thread.run_sync(reception)
        await anyio.to_thread.run_sync(_warm_embedder, desk.house)
        await _settle_open_turns(desk.house)
        async with anyio.create_task_group() as beside:
            beside.start_soon(_keep_settling, desk.house)
            yield
            beside.cancel_scope.cancel()
        await anyio.to_thread.run_sync(desk.house.turns.close)

    app = FastAPI(
        title="Gieok",
        version=__version__,
        description=_ABOUT,
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.reception = reception
    app.state.has_pages = bool(pages)
    problems.install_problem_handlers(app)
    for part in _ROUTERS:
        app.include_router(part.router, dependencies=KNOWN_QUERY)
    for part in _OTHER_ROUTERS:
        app.include_router(part.router)
    app.include_router(characters.of_service, dependencies=KNOWN_QUERY)
    app.include_router(memories.said, dependencies=KNOWN_QUERY)
    if pages:
        app.include_router(user_pages.router)
    app.router.routes.extend(pages)
    _add_description(app)
    _add_middlewares(app, options, metrics)
    return app


def _add_middlewares(app: FastAPI, options: HttpOptions, metrics: Metrics) -> None:
    """Add the middlewares that refuse, measure and log requests."""
    # The last one added is the outermost.
    app.add_middleware(BodyGuard, limit=options.body_kb * 1024, seconds=options.body_s)
    if options.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=options.origins,
            allow_methods=["*"],
            allow_headers=["*"],
            expose_headers=[
                "ETag",
                "Retry-After",
                "RateLimit-Limit",
                "RateLimit-Remaining",
                "RateLimit-Reset",
            ],
        )
    app.add_middleware(HostGuard, hosts=(options.host, *options.hosts), origins=options.origins)
    app.add_middleware(Envelope, metrics=metrics)


def _warm_embedder(house: House) -> None:
    """Load the embedding model, so that no user waits seconds for it.

    Without the model, keyword search alone answers.
    """
    with suppress(GieokError):
        if house.memory.embedder is not None:
            house.memory.embedder.embed_query("warm")


async def _keep_settling(house: House) -> None:
    while True:
        await anyio.sleep(_SETTLE_S)
        await _settle_open_turns(house)


async def _settle_open_turns(house: House) -> None:
    """Charge or release the points that a killed server left on hold.

    Where the database is down, this is tried again at the next interval.
    """
    with suppress(GieokError):
        await anyio.to_thread.run_sync(house.points.settle_stale)


def _add_description(app: FastAPI) -> None:
    """Serve the OpenAPI document to identified callers; as a page, to browsers let in too."""

    @cache
    def described() -> dict[str, Any]:
        document = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
            openapi_version="3.1.0",
            servers=[{"url": "/"}],
        )
        schemas = document.setdefault("components", {}).setdefault("schemas", {})
        schemas["Problem"] = problems.Problem.model_json_schema()
        paths, more = described_operations()
        document["paths"] |= paths
        schemas |= more
        return document

    app.openapi = described  # type: ignore[method-assign]

    @app.get("/openapi.json", include_in_schema=False, dependencies=ANYBODY)
    def description() -> dict[str, Any]:
        return described()

    @app.get("/api", include_in_schema=False)
    def reference(
        request: Request, desk: Desk, credentials: BearerCredentials, owner: OwnerCredentials
    ) -> HTMLResponse:
        cookie = request.cookies.get(COOKIE, "")
        if desk.gate.is_open(cookie):
            page = render_reference(described(), desk.gate.change_token(cookie))
            return HTMLResponse(page, headers=HEADERS)
        if credentials is None and "text/html" in request.headers.get("accept", ""):
            # the templates of pages, which a server without a browser needs not
            from gieok.surfaces.web.site import render_closed_page

            return render_closed_page(request)
        require_any_caller(request, credentials, owner)
        return HTMLResponse(render_reference(described()), headers=HEADERS)

    @app.get(SCRIPT, include_in_schema=False, dependencies=READERS)
    def script() -> Response:
        text = files("gieok.surfaces.http").joinpath("try.js").read_bytes()
        return Response(text, media_type="text/javascript", headers=HEADERS)
