"""Find import cycles of files: files that cannot be loaded without themselves.

Folders that import each other need not contain a cycle of files.
"""

from collections import deque
from collections.abc import Iterator, Mapping

Graph = Mapping[str, Mapping[str, int]]
#: Larger than the number of any file: marks a finished file, which is on no path.
_DONE = 1 << 60


def circles(graph: Graph) -> dict[str, str]:
    """Return file → the first file of its import cycle; files in no cycle are left out.

    Source: Tarjan 1972.
    """
    first_of: dict[str, str] = {}
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    work: list[tuple[str, Iterator[str]]] = []

    def enter(name: str) -> None:
        number[name] = low[name] = len(number)
        path.append(name)
        work.append((name, iter(sorted(graph.get(name, ())))))

    for start in sorted(graph):
        if start not in number:
            enter(start)
        while work:
            name, targets = work[-1]
            if (target := next(targets, None)) is not None:
                if target not in number:
                    enter(target)
                low[name] = min(low[name], number[target])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[name])
            if low[name] == number[name]:
                taken = path[path.index(name) :]
                del path[-len(taken) :]
                number |= dict.fromkeys(taken, _DONE)
                first_of |= dict.fromkeys(taken, min(taken)) if len(taken) > 1 else {}
    return first_of


def ring(graph: Graph, source: str, target: str) -> tuple[str, ...]:
    """Return the shortest cycle that begins with an import: source, target, …, source.

    Returns () where the import closes no cycle.
    """
    before = {target: source}
    waiting = deque([target])
    while waiting:
        name = waiting.popleft()
        for following in sorted(graph.get(name, ())):
            if following == source:
                back = [source]
                while name != source:
                    back.append(name)
                    name = before[name]
                return (source, *reversed(back[1:]), source)
            if following not in before:
                before[following] = name
                waiting.append(following)
    return ()
