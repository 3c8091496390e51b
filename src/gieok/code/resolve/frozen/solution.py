"""What a whole link found: the values of every variable, as data that a store keeps.

The record holds what facts do not say. With it, the instructions of a changed function are run
alone, against the values that all other files gave (`state`).
"""

import marshal
import zlib
from array import array
from collections.abc import Sequence
from typing import NamedTuple

from gieok.code.model.facts import NOTHING, Trait
from gieok.code.resolve.attributes import Attributes
from gieok.code.resolve.names import Names
from gieok.code.resolve.program import FAN, Program

#: In the array of values, what stands for no value and for several.
NONE, SEVERAL = -1, -2


class Solution(NamedTuple):
    """The values of a family's files, in the project-wide numbers of the link that found them.

    Each field is of types that `marshal` knows.
    """

    paths: list[str]
    #: File → its first variable, function, class, container and symbol.
    firsts: list[tuple[int, int, int, int, int]]
    #: How many functions, classes, containers and symbols there are.
    counts: tuple[int, int, int, int]
    #: Variable → its only value, as C ints; `NONE`, or `SEVERAL` for those in `several`.
    single: bytes
    several: dict[int, tuple[int, ...]]
    #: Variable → how many of its values it had before functions ran, and how many before the
    #: questions that were left open. Later variables had none.
    early: bytes
    settled: bytes
    kinds: list[int]
    first: list[int | str]
    second: list[int | str]
    #: Container → its keys, where it has any; and the variable of any key.
    keys: dict[int, dict[str | int, int]]
    any_of: bytes
    attributes: list[dict[str, int]]
    bases: list[list[int]]
    outside: list[int]
    #: Classes whose bases or attributes changed while functions ran.
    late: list[int]
    #: Class → the names that were looked up in it.
    looked: dict[int, list[str]]
    fields: dict[tuple[int, str], int]
    #: Names that were read of instances and stored in none.
    asked: list[str]
    of_functions: dict[tuple[int, str], int]
    #: File → names that others asked for and that it does not define; and its star imports.
    names: dict[int, dict[str, int]]
    stars: dict[int, list[int]]
    #: Variables of functions that nothing reads.
    unread: bytes
    #: Names of calls without a target; and beginnings of names that are put together.
    open_names: list[str]
    prefixes: list[str]
    #: Class → its methods for which the maker of an object answers.
    dispatched: dict[int, list[int]]
    #: Names of the attributes of protocols.
    declared: list[str]
    #: Whether an object got all members of another.
    is_mixed: bool
    #: Steps that the solver had left.
    steps: int

    def dump(self) -> bytes:
        """Return the solution as bytes."""
        return zlib.compress(marshal.dumps(tuple(self)), 1)


def parse_solution(data: bytes) -> Solution:
    """Return a solution from its bytes, which this machine's Gieok wrote."""
    return Solution(*marshal.loads(zlib.decompress(data)))  # noqa: S302 - a file of the project's own index


class Recorder:
    """Recorder of a solution while a whole link goes on."""

    def __init__(self) -> None:
        self.solution: bytes = b""
        self._early = b""
        self._settled = b""
        self._late: set[int] = set()
        self._asked: list[str] = []
        self._looked: dict[int, list[str]] = {}
        self._unread = b""

    def note_before_functions(self, program: Program) -> None:
        """Note what is known before the bodies of functions run."""
        self._early = program.flows.count_values()
        program.hierarchy.changed.clear()

    def note_propagated(self, program: Program) -> None:
        """Note what is known before the questions that were left open are asked."""
        self._settled = program.flows.count_values()

    def note_solved(self, program: Program, attributes: Attributes) -> None:
        """Note what is known at the end, before the triggers are dropped."""
        self._late = program.hierarchy.changed
        self._asked = attributes.asked_names()
        self._looked = program.hierarchy.looked_names()
        self._unread = array(
            "i",
            [
                variable
                for fact in program.functions
                for variable in (
                    *fact.parameters,
                    *fact.keyword_only.values(),
                    fact.result,
                    fact.yields,
                )
                if not program.flows.is_read(variable)
            ],
        ).tobytes()

    def finish(
        self, program: Program, attributes: Attributes, names: Names, own: Sequence[dict[str, int]]
    ) -> None:
        """Make the solution, once the triggers are dropped; `own` are the names of each file."""
        single, several = program.flows.dump_values()
        keys, any_of = program.containers.dump()
        dispatched: dict[int, list[int]] = {}
        for owner, function in find_dispatched(program):
            dispatched.setdefault(owner, []).append(function)
        last = program.containers.count()
        self.solution = Solution(
            paths=program.paths,
            firsts=[tuple(bound[1:]) for bound in program.bounds],  # type: ignore[misc]
            counts=(len(program.functions), len(program.class_symbol), last, program.symbols),
            single=single,
            several=several,
            early=self._early,
            settled=self._settled,
            kinds=[int(kind) for kind in program.values.kinds],
            first=program.values.first,
            second=program.values.second,
            keys=keys,
            any_of=any_of,
            attributes=program.hierarchy.attributes,
            bases=[program.hierarchy.bases(c) for c in range(len(program.class_symbol))],
            outside=sorted(program.hierarchy.outside),
            late=sorted(self._late),
            looked=dict(self._looked),
            fields=attributes.fields,
            asked=self._asked,
            of_functions=attributes.of_functions,
            names={
                file: extra
                for file, held in enumerate(names.own)
                if (extra := {n: v for n, v in held.items() if n not in own[file]})
            },
            stars={file: origins for file, origins in names.stars.items() if origins},
            unread=self._unread,
            open_names=sorted(
                {
                    site.name.removesuffix("()")
                    for site in program.sites
                    if not site.targets and site.kind in ("call", "method")
                }
            ),
            prefixes=sorted({prefix for _, _, prefix, _ in program.computed}),
            dispatched=dispatched,
            declared=sorted(
                {
                    name
                    for fact in program.functions
                    if Trait.DECLARED in fact.traits and fact.owner != NOTHING
                    for name in program.hierarchy.attributes[fact.owner]
                }
            ),
            is_mixed=program.is_mixed,
            steps=program.flows.steps_left(),
        ).dump()


def find_dispatched(program: Program) -> list[tuple[int, int]]:
    """Return (class, method) where the maker of an object decides which method a call reaches.

    This holds for objects that are called, and for methods of one family of classes, where a call
    has too many targets.
    """
    wide = {
        function
        for site in program.sites
        if len(site.targets) > FAN and (site.kind == "call" or program.is_family([*site.targets]))
        for function in site.targets
    }
    called = [(owner, function) for function in sorted(wide) for owner in program.owners(function)]
    called += [
        (owner, function)
        for _, owner, prefix, _ in program.computed
        for function in program.methods(owner, prefix)
    ]
    return list(dict.fromkeys(called))
