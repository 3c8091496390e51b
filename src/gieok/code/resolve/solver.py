"""Solve the facts of all files: which values reach which variable, and so who calls whom.

The order of everything depends on the sorted paths and their content alone. Parts, each above the
parts that it uses: flows and values (variables and their values), program (shared state),
attributes and arguments, calls, names, members, imports, instructions.
"""

from gieok.code.model.facts import NOTHING, Facts, Op
from gieok.code.resolve.calls import Calls, Decorators
from gieok.code.resolve.import_links import Linker
from gieok.code.resolve.imports import Imports
from gieok.code.resolve.instructions import Instructions
from gieok.code.resolve.members import Members
from gieok.code.resolve.names import Names
from gieok.code.resolve.program import Program

_NO_FACTS = Facts(
    language="",
    symbols=(),
    functions=(),
    classes=(),
    names={},
    variables=0,
    containers=0,
    top=(),
    inner=(),
)
#: Instructions that must run before attributes are looked up.
_EARLY = frozenset((Op.IMPORT, Op.IMPORT_ALL, Op.CLASS, Op.FUNCTION, Op.EXTERNAL))


def solve(files: list[tuple[str, Facts]], linker: Linker, *, is_lenient: bool = False) -> Program:
    """Return the program with all sites, references and imports found.

    Takes the facts out of `files`. Raises Tangled where values and calls cause each other without
    end; with `is_lenient`, the findings up to that point are returned.
    """
    solver = _Solver(files, linker, is_lenient=is_lenient)
    solver.start(files)
    solver.settle()
    return solver.program


class _Solver:
    """The solver's parts, and the order in which they work."""

    def __init__(self, files: list[tuple[str, Facts]], linker: Linker, *, is_lenient: bool) -> None:
        self.program = Program(files, is_lenient=is_lenient)
        self._linker = linker
        self._calls = Calls(self.program, linker.natives)
        names = Names(self.program, linker, files)
        self._members = Members(self._calls, names)
        self._decorators = Decorators(self._calls)
        imports = Imports(names, self._members)
        self._instructions = Instructions(
            linker, self._calls, self._members, imports, self._decorators
        )

    def start(self, files: list[tuple[str, Facts]]) -> None:
        """Run imports and class heads first, then module code, then functions.

        So look-ups of functions find a class hierarchy.
        """
        instructions, bounds = self._instructions, self.program.bounds
        for bound in bounds:
            instructions.enter(bound, files[bound.file][1])
            for owner, kind in enumerate(files[bound.file][1].classes):
                for place, variable in enumerate(kind.bases):
                    if variable != NOTHING:
                        instructions.await_base(owner, place, variable)
        for early in (True, False):
            for bound in bounds:
                instructions.enter(bound, files[bound.file][1])
                instructions.run(i for i in files[bound.file][1].top if (i[0] in _EARLY) == early)
            self._drain()
        self._linker.relate(self.program.hierarchy)
        for bound in bounds:
            instructions.enter(bound, files[bound.file][1])
            path, facts = files[bound.file]
            instructions.run(facts.inner)
            files[bound.file] = (path, _NO_FACTS)  # instructions are most of what facts weigh

    def _drain(self) -> None:
        self.program.flows.drain(self._calls.attributes.refresh)

    def settle(self) -> None:
        """Propagate until nothing changes; then once more with the questions that were left
        open.
        """
        self._drain()
        self._decorators.settle()
        self.program.containers.settle()
        self._drain()
        self._calls.types.settle()
        self._drain()
        self._members.settle_outside()
        self._drain()
        self._calls.settle()
        self._members.settle()
        self._drain()
        for part in (
            self.program.flows,
            self.program.containers,
            self.program.hierarchy,
            self._calls,
            self._members,
        ):
            part.let_go()
