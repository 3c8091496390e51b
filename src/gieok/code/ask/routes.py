"""Edges from tests to the functions that answer the paths which the tests request.

A web framework calls a function for a path: `@GetMapping("/owners/new")` stands above it,
`router.post("/login", login)` hands it over. A test requests the path as text. No value flows from
one to the other, so the two are compared as text, at the time of the question: nothing is stored,
and no sync pays for it.

A path of a route may be the end of the requested one, because a router is mounted somewhere: what
stands before it counts where words of the route's file explain it. The most literal route wins.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from gieok.code.ask.changes import find_innermost_symbols
from gieok.code.ask.evidence import singular
from gieok.code.ask.likelihood import Sources
from gieok.code.ask.markers import find_marker_lines
from gieok.code.index.graph import CALLS, GIVEN_BODY, REFERENCES, Certainty
from gieok.code.languages import places
from gieok.code.languages.table import find_source_language
from gieok.code.model.facts import FUNCTIONS, SymbolKind
from gieok.model.code import Edge, Symbol, key_path

if TYPE_CHECKING:
    from gieok.storage.index.sqlite.graph import ProjectStore

_REASON = "requests its path"
_BESIDE_REASON = "may run around a requested path"
_VERBS = frozenset("get post put patch delete head options".split())
_TEXT = re.compile(r"""(?<![\w])[rRfFbBuU]{0,2}(["'`])((?:\\.|(?!\1)[^\\])*)\1""")
_HOST = re.compile(r"https?://[^/\s]*(?=/)")
#: A word in front of an opening parenthesis, or the name of a marker.
_CALLED = re.compile(r"(?:\.|\b|@|\[)([A-Za-z_]+?)(?:Mapping|Async)?\s*[(<]")
#: Calls whose first text is a path, also where the path does not begin with a slash.
_PATH_CALL = re.compile(r"\b(?:path|re_path|url|route)\s*\($")
#: Calls that mount a router below a path, which answer nothing themselves.
_MOUNT = re.compile(
    r"(?i)\b(?:use|mount|nest|group|prefix|include_router|register_blueprint|register)\s*[(=:]"
)
#: What stands in front of a path that a test gives to a handler of its own, or behind it.
_OWN = re.compile(
    r"(?i)^\s*@|\b(?:route|add_url_rule|handle|handlefunc|path|re_path)\s*\($"
    r"|\b(?:app|router|server|mux|r|api|bp|blueprint|fastify)\.\w+\s*\($"
)
#: Calls that give the path of a route by its name (`reverse("shop:detail")`).
_BY_NAME = re.compile(
    r"\b(?:reverse|reverse_lazy|url_for|url_path_for|resolve_url|app_path_for)\(\s*(?:[\w.]+,\s*)?$"
)
_ROUTE_NAME = re.compile(r"\bname\s*=\s*$")
#: Begins the only segment of a place that is the name of a route.
_NAME_SIGN = "="
#: Markers that give a function a path, by a word of their name.
_ROUTE_MARKER = re.compile(
    r"(?i)(?:get|post|put|patch|delete|head|options|route|mapping|path|controller|websocket)"
)
_PARAMETER = re.compile(r"[{}<>*()\[\]$%+]|^:|\\")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
#: How far above a line the beginning of its statement is looked for.
_STATEMENT_LINES = 12
#: More segments in front of a route than this are no place where a router is mounted.
_MOST_BEFORE = 3
_LONGEST_PATH = 300


class PathPlace(NamedTuple):
    """A path as text in a file: its segments, and the verb beside it ('' where there is none)."""

    segments: tuple[str, ...]
    verb: str
    line: int


class WebRoute(NamedTuple):
    """A place that gives a function a path, with words that may explain where it is mounted."""

    target: str
    place: PathPlace
    words: frozenset[str]
    reason: str = _REASON
    tier: int = Certainty.UNIQUE_NAME


class RouteFit(NamedTuple):
    """How well a route fits a requested path; a larger one fits better."""

    explained: int
    unexplained: int
    own: int


def find_request_edges(
    store: "ProjectStore", sources: Sources, seeds: Collection[str], into: Sequence[Edge]
) -> list[Edge]:
    """Return an edge from every test that requests a path to what answers it.

    `seeds` are the keys of the changed symbols, `into` the edges that lead to them.
    """
    reached = {*seeds, *(edge.source for edge in into)}
    routes = [
        *_find_marked_routes(store, sources, reached),
        *_find_handed_routes(sources, into, seeds),
    ]
    if not routes:
        return []
    paths = sorted(store.files())
    languages = {find_source_language(key_path(route.target)) for route in routes}
    rivals = [
        WebRoute("", place, split_path_words(path))
        for path in paths
        if find_source_language(path) in languages and not places.is_test_file(path)
        for place in find_path_places(sources.lines(path))
        if not _MOUNT.search(sources.lines(path)[place.line - 1])
    ]
    edges: dict[tuple[str, str], Edge] = {}
    for path in paths:
        if places.is_test_file(path):
            for edge in _find_edges_of_test_file(store, sources, path, routes, rivals):
                edges.setdefault((edge.source, edge.target), edge)
    return sorted(edges.values())


def _find_edges_of_test_file(
    store: "ProjectStore",
    sources: Sources,
    path: str,
    routes: Sequence[WebRoute],
    rivals: Sequence[WebRoute],
) -> Iterator[Edge]:
    lines = sources.lines(path)
    near = [route for route in routes if is_route_of(path, key_path(route.target))]
    own = [WebRoute(f"{path}::", place, frozenset()) for place in find_path_places(lines, _OWN)]
    requests = [*find_path_places(lines)] if near else []
    met = {
        request.line: found
        for request in requests
        if (found := select_answering_routes(request, near, rivals, own))
    }
    if not met:
        return
    for symbol, numbers in find_innermost_symbols(store.symbols(paths=[path]), met):
        if symbol.kind in FUNCTIONS:
            for number in numbers:
                for route in met[number]:
                    yield Edge(
                        source=symbol.key,
                        target=route.target,
                        kind=CALLS,
                        tier=route.tier,
                        reason=route.reason,
                        line=number,
                    )


def is_route_of(test: str, path: str) -> bool:
    """Return whether a test may request a route of a file: of an example, its own tests alone."""
    example = places.find_example(path)
    return not example or f"/{example}/" in f"/{test}"


def select_answering_routes(
    request: PathPlace,
    routes: Iterable[WebRoute],
    rivals: Iterable[WebRoute],
    own_routes: Iterable[WebRoute] = (),
) -> list[WebRoute]:
    """Return the routes that answer a request; none where another route fits better.

    `own_routes` are those of the test's file, which win where they fit as well.
    """
    fits = [(fit, route) for route in routes if (fit := rate_fit(request, route)) is not None]
    if not fits:
        return []
    best = max(fit for fit, _ in fits)
    if any((fit := rate_fit(request, own)) is not None and fit >= best for own in own_routes):
        return []
    chosen = [route for fit, route in fits if fit == best]
    declared = {(key_path(route.target), route.place.line) for route in chosen}
    against = [fit for rival in rivals if (fit := rate_fit(request, rival)) is not None]
    if any(fit > best for fit in against):
        return []
    count = max(len(declared), sum(fit == best for fit in against))
    if count < 2:
        return chosen
    reason = f"one of {count} possible targets"
    return [route._replace(reason=reason, tier=Certainty.AMBIGUOUS) for route in chosen]


def rate_fit(request: PathPlace, route: WebRoute) -> RouteFit | None:
    """Return how well a route fits a request; None where it does not answer it."""
    if request.verb and route.place.verb and request.verb != route.place.verb:
        return None
    own, asked = route.place.segments, request.segments
    before = len(asked) - len(own)
    if not 0 <= before <= _MOST_BEFORE:
        return None
    literal = 0
    for segment, other in zip(own, asked[before:], strict=True):
        if is_parameter(segment):
            continue
        if segment != other:
            return None
        literal += 1
    rest = [segment for segment in asked[:before] if not is_parameter(segment)]
    explained = sum(not split_words(segment) - route.words for segment in rest)
    if not literal + explained and asked:
        return None
    return RouteFit(literal + explained, -(before - explained), len(own))


@lru_cache(4096)
def is_parameter(segment: str) -> bool:
    """Return whether a segment of a path stands for any text: `:id`, `{id}`, `<int:id>`, `*`."""
    return bool(_PARAMETER.search(segment))


@lru_cache(4096)
def split_words(text: str) -> frozenset[str]:
    """Return the words of a name or a path's segment, in the singular."""
    return frozenset(singular(word.lower()) for word in _WORDS.findall(text))


def split_path_words(path: str) -> frozenset[str]:
    """Return the words of a file's path."""
    return split_words(path.rpartition(".")[0])


def split_segments(text: str) -> tuple[str, ...] | None:
    """Return the segments of a path, without host and query; None for other text."""
    text = _HOST.sub("", text)
    if not text.startswith("/") or text.startswith("//") or len(text) > _LONGEST_PATH:
        return None
    if any(character.isspace() for character in text):
        return None
    return tuple(part for part in re.split(r"[?#]", text, maxsplit=1)[0].split("/") if part)


def find_path_places(
    lines: Sequence[str], head: re.Pattern[str] | None = None
) -> Iterator[PathPlace]:
    """Yield the paths that stand as text in lines, behind what matches `head` if given."""
    for number, line in enumerate(lines, 1):
        if "/" in line or "name" in line or "reverse" in line or "url_for" in line:
            yield from _find_places_of_line(line, number, is_marker=False, wanted=head)


def _find_places_of_line(
    line: str, number: int, *, is_marker: bool, wanted: re.Pattern[str] | None = None
) -> Iterator[PathPlace]:
    for match in _TEXT.finditer(line):
        text, head = match[2], line[: match.start()]
        if wanted is not None and not (
            wanted.search(head) and line[match.end() :].lstrip()[:1] in (",", ")")
        ):
            continue
        segments = split_segments(text)
        if segments is None and (is_marker or _PATH_CALL.search(head)):
            segments = split_segments("/" + text.lstrip("^").removesuffix("$"))
        if segments is None and (_BY_NAME.search(head) or _ROUTE_NAME.search(head)):
            yield PathPlace((_NAME_SIGN + re.split(r"[:.]", text)[-1],), "", number)
        if segments is not None:
            yield PathPlace(segments, find_verb(head), number)


def find_verb(head: str) -> str:
    """Return the HTTP verb that was called last in a piece of a line; '' for none."""
    verbs = [word.lower() for word in _CALLED.findall(head) if word.lower() in _VERBS]
    return verbs[-1] if verbs else ""


# Routes


def _find_marked_routes(
    store: "ProjectStore", sources: Sources, reached: Collection[str]
) -> Iterator[WebRoute]:
    """Yield the routes of functions whose markers give them a path.

    A method with a marker and without a path, in a class whose other methods have routes, runs
    around them (`@ModelAttribute`, `@before_request`).
    """
    paths = {key_path(key) for key in reached}
    for path in sorted(path for path in paths if not places.is_test_file(path)):
        symbols = store.symbols(paths=[path])
        lines, words = sources.lines(path), split_path_words(path)
        by_class: dict[str, list[WebRoute]] = {}
        prefixes = {
            s.key: _find_marked_places(lines, s) for s in symbols if s.kind == SymbolKind.CLASS
        }
        functions = [s for s in symbols if s.kind in FUNCTIONS]
        marked = {s.key: find_marker_lines(lines, s) for s in functions}
        for symbol in functions if any(marked.values()) else ():
            for route in _build_marked_routes(
                lines, symbol, prefixes.get(symbol.parent, ()), words
            ):
                by_class.setdefault(symbol.parent, []).append(route)
                if symbol.key in reached:
                    yield route
        answered = {route.target for routes in by_class.values() for route in routes}
        for symbol in functions:
            if symbol.key in reached and marked[symbol.key] and symbol.key not in answered:
                for route in by_class.get(symbol.parent, ()) if symbol.parent in prefixes else ():
                    yield route._replace(
                        target=symbol.key, reason=_BESIDE_REASON, tier=Certainty.AMBIGUOUS
                    )


def _build_marked_routes(
    lines: Sequence[str], symbol: Symbol, prefixes: Sequence[PathPlace], words: frozenset[str]
) -> Iterator[WebRoute]:
    own = _find_marked_places(lines, symbol)
    if own:
        named = PathPlace((_NAME_SIGN + symbol.name.rpartition(".")[2],), "", own[0].line)
        yield WebRoute(symbol.key, named, words)
    for place in own:
        for prefix in prefixes or (PathPlace((), "", 0),):
            segments = (*prefix.segments, *place.segments)
            yield WebRoute(symbol.key, place._replace(segments=segments), words)


def _find_marked_places(lines: Sequence[str], symbol: Symbol) -> list[PathPlace]:
    """Return the paths in the markers of a symbol.

    A marker of a route without a path answers its class's own (`@GetMapping`, `@Get()`).
    """
    found: list[PathPlace] = []
    for number in find_marker_lines(lines, symbol):
        line = lines[number - 1]
        name = re.match(r"\s*(?:@|#\[|\[)([\w.:]+)", line)
        if name is None or not _ROUTE_MARKER.search(name[1].rpartition(".")[2]):
            continue
        called = f"{name[1]}("
        inside = [*_find_places_of_line(line, number, is_marker=True)]
        verb = find_verb(called)
        found += [place._replace(verb=place.verb or verb) for place in inside]
        if not inside and verb and _is_bare_marker(line):
            found.append(PathPlace((), verb, number))
    return found


def _is_bare_marker(line: str) -> bool:
    return bool(re.fullmatch(r"\s*@\w+(?:\(\s*\))?\s*", line))


def _find_handed_routes(
    sources: Sources, into: Sequence[Edge], seeds: Collection[str]
) -> Iterator[WebRoute]:
    """Yield the routes of functions that are handed over in a statement that names a path.

    A wrapper that only calls what it is given stands for all handlers, so it answers no path.
    """
    wrappers = {edge.source for edge in into if edge.reason == GIVEN_BODY}.difference(seeds)
    for edge in into:
        path = key_path(edge.source)
        if (
            edge.line
            and edge.kind in (CALLS, REFERENCES)
            and edge.target not in wrappers
            and not places.is_test_file(path)
        ):
            name = edge.target.rpartition("::")[2].rpartition(".")[2]
            for place in find_statement_places(sources.lines(path), edge.line, name):
                yield WebRoute(edge.target, place, split_path_words(path))


def find_statement_places(lines: Sequence[str], number: int, name: str = "") -> list[PathPlace]:
    """Return the first path in the statement of a line, and the name of the route beside it.

    A statement goes on upwards where a line begins with a dot or stands below one that ends open,
    and downwards along a chain of calls. The verb is that of the line which has `name`. Where the
    statement names no path the result is empty.
    """
    if not 0 < number <= len(lines):
        return []
    numbers = _find_statement_lines(lines, number)
    found = [
        place
        for at in sorted(numbers, key=lambda at: (at > number, abs(at - number)))
        for place in _find_places_of_line(lines[at - 1], at, is_marker=False)
    ]
    paths = [place for place in found if not is_route_name(place)]
    if not paths:
        return []
    first = paths[0]
    named = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") if name else None
    naming = [at for at in numbers if named and named.search(lines[at - 1])] or [number]
    verbs = {find_verb(lines[at - 1]) for at in naming} if first.line not in naming else set()
    verb = verbs.pop() if len(verbs) == 1 else ""
    names = [place._replace(line=first.line) for place in found if is_route_name(place)]
    return [first._replace(verb=first.verb or verb), *names]


def _find_statement_lines(lines: Sequence[str], number: int) -> list[int]:
    """Return the numbers of the lines of a statement that may name its path."""
    first = last = number
    while first > 1 and number - first < _STATEMENT_LINES:
        line, above = lines[first - 1].lstrip(), lines[first - 2].rstrip()
        if any(_find_places_of_line(lines[first - 1], first, is_marker=False)):
            break
        if not line.startswith((".", ")")) and not above.endswith(("(", ",", "[")):
            break
        first -= 1
    while last < len(lines) and last - number < _STATEMENT_LINES:
        below = lines[last].lstrip()
        if not below.startswith(".") and not _ROUTE_NAME.match(below.partition("=")[0] + "="):
            break
        last += 1
    return [*range(first, last + 1)]


def is_route_name(place: PathPlace) -> bool:
    """Return whether a place holds the name of a route, not its path."""
    return place.segments[:1] != () and place.segments[0].startswith(_NAME_SIGN)
