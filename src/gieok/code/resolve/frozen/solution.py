"""What a whole link found: the values of every variable, as data that a store keeps.

The record holds what facts do not say. With it, the instructions of a changed function are run
alone, against the values that all other files gave (`state`).
"""

import json
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from gieok.code.model.facts import NOTHING, Trait
from gieok.code.resolve.attributes import Attributes
from gieok.code.resolve.flows import NONE
from gieok.code.resolve.names import Names
from gieok.code.resolve.program import FAN, Program
from gieok.code.resolve.types import Types

#: Version of the record, stored with it.
_VERSION = 3
#: A larger record is neither kept nor unpacked; one has about as many bytes as the source code.
_MOST_BYTES = 1 << 28
#: Arrays of C ints, and what has a number for each variable or value, in the order of the record.
_ARRAYS = (
    "single",
    "any_of",
    "unread",
    "several_variables",
    "several_values",
    "first_numbers",
    "second_numbers",
)
_COUNTS = ("early", "settled", "kinds", "several_counts")


@dataclass
class Solution:
    """The values of a family's files, in the project-wide numbers of the link that found them."""

    paths: list[str]
    #: File → its first variable, function, class, container and symbol.
    firsts: list[list[int]]
    #: How many functions, classes, containers and symbols there are.
    counts: list[int]
    #: Variable → its only value; `NONE`, or `SEVERAL` for those in `several`.
    single: "array[int]"
    #: Variables with several values, how many each has, and all of these.
    several_variables: "array[int]"
    several_counts: bytes
    several_values: "array[int]"
    #: Variable → how many of its values it had before functions ran, and how many before the
    #: questions that were left open. Later variables had none.
    early: bytes
    settled: bytes
    #: Value → its kind, and the two numbers beside it; names stand in the dictionaries.
    kinds: bytes
    first_numbers: "array[int]"
    second_numbers: "array[int]"
    first_names: dict[str, str]
    second_names: dict[str, str]
    #: Container → its keys and their variables, where it has any; and the variable of any key.
    keys: list[tuple[int, list[tuple[str | int, int]]]]
    any_of: "array[int]"
    attributes: list[dict[str, int]]
    bases: list[list[int]]
    outside: list[int]
    #: Classes whose bases or attributes changed while modules ran, and while functions ran.
    early_changed: list[int]
    late: list[int]
    #: (class, the names that were looked up in it).
    looked: list[tuple[int, list[str]]]
    #: (class, name, variable) of attributes of instances; (function, name, variable).
    fields: list[tuple[int, str, int]]
    of_functions: list[tuple[int, str, int]]
    #: Names that were read of instances and stored in none.
    asked: list[str]
    #: (file, names that others asked for and that it does not define); and its star imports.
    names: list[tuple[int, dict[str, int]]]
    stars: list[tuple[int, list[int]]]
    #: (file, its names whose values reach other files).
    shared: list[tuple[int, list[str]]]
    #: Variables of functions that nothing reads.
    unread: "array[int]"
    #: Names of calls without a target; and beginnings of names that are put together.
    open_names: list[str]
    prefixes: list[str]
    #: (name, the functions that provide a value under it, each with its file).
    providers: list[tuple[str, list[tuple[int, int]]]]
    #: (class, its methods for which the maker of an object answers).
    dispatched: list[tuple[int, list[int]]]
    #: Classes whose subclasses' objects variables hold too, by annotations and as tests.
    extended: list[int]
    #: Names of the attributes of protocols.
    declared: list[str]
    #: Whether an object got all members of another.
    is_mixed: bool
    #: Steps that the solver had left.
    steps: int

    def dump(self, shape: str) -> bytes:
        """Return the solution as bytes; none where they are too many.

        `shape` is the version of the facts and of the linker.
        """
        rest = dict(self.__dict__)
        parts = [rest.pop(name).tobytes() for name in _ARRAYS]
        parts += [rest.pop(name) for name in _COUNTS]
        sizes = [len(part) for part in parts]
        text = json.dumps([sizes, rest], separators=(",", ":")).encode() + b"\n"
        if len(text) + sum(sizes) > _MOST_BYTES:
            return b""
        packed = zlib.compressobj(1)
        pieces = [_make_header(shape), packed.compress(text)]
        pieces += [packed.compress(part) for part in parts]
        return b"".join([*pieces, packed.flush()])


def _make_header(shape: str) -> bytes:
    """Return the line in front of the packed bytes, which tells their version."""
    return f"{_VERSION}:{shape}\n".encode()


def parse_solution(data: bytes, shape: str) -> Solution | None:
    """Return a solution from its bytes; None for those of another version or shape.

    Bytes that no solution was dumped to raise an exception of any type.
    """
    header = _make_header(shape)
    if not data.startswith(header):
        return None
    unpacking = zlib.decompressobj()
    whole = unpacking.decompress(memoryview(data)[len(header) :], _MOST_BYTES)
    if unpacking.unconsumed_tail or not unpacking.eof:
        raise ValueError("the solution is cut off or too large")
    end = whole.index(b"\n") + 1
    sizes, fields = json.loads(whole[:end])
    view = memoryview(whole)
    for name, size in zip((*_ARRAYS, *_COUNTS), sizes, strict=True):
        part = view[end : end + size]
        fields[name] = array("i", part.tobytes()) if name in _ARRAYS else part.tobytes()
        end += size
    return Solution(**fields)


class SolutionRecorder:
    """Notes what a whole link finds while it goes on, and makes a solution of it at the end.

    `shape` is the version of the facts and of the linker.
    """

    def __init__(self, shape: str) -> None:
        self._shape = shape
        #: The solution as bytes: empty until the end, and where it is too large to be kept.
        self.solution: bytes = b""
        self._early = b""
        self._settled = b""
        self._early_changed: set[int] = set()
        self._late: set[int] = set()
        self._asked: list[str] = []
        self._extended: list[int] = []
        self._looked: dict[int, list[str]] = {}
        self._unread = array("i")
        self._shared: list[tuple[int, list[str]]] = []

    def note_heads(self, program: Program) -> None:
        """Note that the hierarchy of classes changes while modules run from now on."""
        program.hierarchy.changed.clear()

    def note_before_functions(self, program: Program) -> None:
        """Note what is known before the bodies of functions run."""
        self._early = program.flows.count_values()
        self._early_changed = {*program.hierarchy.changed}
        program.hierarchy.changed.clear()

    def note_propagated(self, program: Program) -> None:
        """Note what is known before the questions that were left open are asked."""
        self._settled = program.flows.count_values()

    def note_solved(
        self, program: Program, attributes: Attributes, names: Names, types: Types
    ) -> None:
        """Note what is known at the end, before the triggers are dropped."""
        self._late = program.hierarchy.changed
        ends = [*(bound.variables for bound in program.bounds[1:]), program.declared]
        for bound, end, own in zip(program.bounds, ends, names.own, strict=False):
            here = range(bound.variables, end)
            shared = [n for n, v in own.items() if not program.flows.is_read_inside(v, here)]
            if shared:
                self._shared.append((bound.file, shared))
        self._asked = attributes.asked_names()
        self._extended = types.list_extended()
        self._looked = program.hierarchy.looked_names()
        # whether `__new__` makes an object of another class is asked of its result
        makers = {
            function
            for attributes_of_class in program.hierarchy.attributes
            for function in program.held_functions(attributes_of_class.get("__new__"))
        }
        self._unread = array(
            "i",
            (
                variable
                for number, fact in enumerate(program.functions)
                if number not in makers
                for variable in (
                    *fact.parameters,
                    *fact.keyword_only.values(),
                    fact.result,
                    fact.yields,
                )
                if not program.flows.is_read(variable)
            ),
        )

    def finish(
        self, program: Program, attributes: Attributes, names: Names, own: Sequence[dict[str, int]]
    ) -> None:
        """Make the solution, once the triggers are dropped; `own` are the names of each file."""
        values, flows = program.values, program.flows
        dispatched: dict[int, list[int]] = {}
        for owner, function in find_dispatched(program):
            dispatched.setdefault(owner, []).append(function)
        extra = [
            (file, {n: v for n, v in held.items() if n not in own[file]})
            for file, held in enumerate(names.own)
        ]
        several_variables, several_counts, several_values = flows.dump_several()
        keys, any_of = program.containers.dump()
        self.solution = Solution(
            paths=program.paths,
            firsts=[[*bound[1:]] for bound in program.bounds],
            counts=[
                len(program.functions),
                len(program.class_symbol),
                len(any_of),
                program.symbols,
            ],
            single=flows.dump_single(),
            several_variables=several_variables,
            several_counts=several_counts,
            several_values=several_values,
            early=self._early,
            settled=self._settled,
            kinds=bytes(values.kinds),
            first_numbers=_keep_numbers(values.first),
            second_numbers=_keep_numbers(values.second),
            first_names=_keep_names(values.first),
            second_names=_keep_names(values.second),
            keys=keys,
            any_of=any_of,
            attributes=program.hierarchy.attributes,
            bases=[program.hierarchy.bases(c) for c in range(len(program.class_symbol))],
            outside=sorted(program.hierarchy.outside),
            early_changed=sorted(self._early_changed),
            late=sorted(self._late),
            looked=[*self._looked.items()],
            fields=[(*place, variable) for place, variable in attributes.fields.items()],
            of_functions=[(*p, variable) for p, variable in attributes.of_functions.items()],
            asked=self._asked,
            names=[row for row in extra if row[1]],
            stars=[row for row in names.stars.items() if row[1]],
            shared=self._shared,
            unread=self._unread,
            open_names=sorted(
                {
                    site.name.removesuffix("()")
                    for site in program.sites
                    if not site.targets and site.kind in ("call", "method")
                }
            ),
            prefixes=sorted({prefix for _, _, prefix, _ in program.computed}),
            providers=[row for row in program.providers.items() if row[1]],
            dispatched=[*dispatched.items()],
            extended=self._extended,
            declared=sorted(
                {
                    name
                    for fact in program.functions
                    if Trait.DECLARED in fact.traits and fact.owner != NOTHING
                    for name in program.hierarchy.attributes[fact.owner]
                }
            ),
            is_mixed=program.is_mixed,
            steps=flows.steps_left(),
        ).dump(self._shape)
        self._early = self._settled = b""
        self._unread = array("i")
        self._looked = {}


def _keep_numbers(parts: Sequence[int | str]) -> "array[int]":
    return array("i", (part if isinstance(part, int) else NONE for part in parts))


def _keep_names(parts: Sequence[int | str]) -> dict[str, str]:
    return {str(value): part for value, part in enumerate(parts) if isinstance(part, str)}


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
