"""Solve the facts of all files: which values reach which variable, and so who calls whom.

The order of everything depends on the sorted paths and their content alone. Parts, each above the
parts that it uses: flows and values (variables and their values), program (shared state),
attributes and arguments, calls, names, members, imports, instructions.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from gieok.code.model.facts import NOTHING, Facts, Op
from gieok.code.resolve.attributes import Attributes
from gieok.code.resolve.calls import Calls, Decorators
from gieok.code.resolve.frozen.solution import SolutionRecorder
from gieok.code.resolve.import_links import Linker
from gieok.code.resolve.imports import Imports
from gieok.code.resolve.instructions import Instructions
from gieok.code.resolve.members import Members
from gieok.code.resolve.names import Names
from gieok.code.resolve.program import FileOffsets, Program

NO_FACTS = Facts(
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


def solve(
    files: list[tuple[str, Facts]],
    linker: Linker,
    *,
    is_lenient: bool = False,
    recorder: SolutionRecorder | None = None,
) -> Program:
    """Return the program with all sites, references and imports found.

    Takes the facts out of `files`. Raises Tangled where values and calls cause each other without
    end; with `is_lenient`, the findings up to that point are returned. A recorder gets what was
    found, so that a later change is linked alone.
    """
    program = Program(files, is_lenient=is_lenient)
    names = Names(program, linker, files)
    own_names = [facts.names for _, facts in files] if recorder else []
    solver = Solver(names, Attributes(program), recorder)
    solver.start(files)
    solver.settle()
    if recorder:
        recorder.finish(program, solver.attributes, names, own_names)
    return program


class Solver:
    """The solver's parts, and the order in which they work."""

    def __init__(
        self, names: Names, attributes: Attributes, recorder: SolutionRecorder | None = None
    ) -> None:
        self.program = names.program
        self.attributes = attributes
        self._names = names
        self._linker = names.linker
        self._recorder = recorder
        self._calls = Calls(self.program, names.linker.natives, attributes)
        self._members = Members(self._calls, names)
        self._decorators = Decorators(self._calls)
        imports = Imports(names, self._members)
        self._instructions = Instructions(
            names.linker, self._calls, self._members, imports, self._decorators
        )

    def run(
        self,
        bound: FileOffsets,
        numbers: Mapping[str, list[int]],
        instructions: Sequence[Sequence[Any]],
    ) -> None:
        """Run some instructions of one file, whose operands have the given numbers."""
        self._instructions.enter_as(bound, numbers)
        self._instructions.run(instructions)

    def await_bases(self, owner: int, bases: Sequence[int], variables: Sequence[int]) -> None:
        """Let a class have the values of its file's variables `bases` as its bases.

        `variables` are the project-wide numbers of the file's variables.
        """
        for place, variable in enumerate(bases):
            if variable != NOTHING:
                self._instructions.await_base(owner, place, variables[variable])

    def start(self, files: list[tuple[str, Facts]]) -> None:
        """Run imports and class heads first, then module code, then functions.

        So look-ups of functions find a class hierarchy.
        """
        instructions, bounds = self._instructions, self.program.bounds
        for bound in bounds:
            variables = range(bound.variables, bound.variables + files[bound.file][1].variables)
            for owner, kind in enumerate(files[bound.file][1].classes, bound.classes):
                self.await_bases(owner, kind.bases, variables)
        for early in (True, False):
            for bound in bounds:
                instructions.enter(bound, files[bound.file][1])
                top = files[bound.file][1].top
                instructions.run([i for i in top if (i[0] in _EARLY) == early])
            self.drain()
            if early and self._recorder:
                self._recorder.note_heads(self.program)
        self._linker.relate(self.program.hierarchy)
        if self._recorder:
            self._recorder.note_before_functions(self.program)
        for bound in bounds:
            instructions.enter(bound, files[bound.file][1])
            path, facts = files[bound.file]
            instructions.run(facts.inner)
            files[bound.file] = (path, NO_FACTS)  # instructions are most of what facts weigh

    def drain(self) -> None:
        """Propagate until nothing changes."""
        self.program.flows.drain(self.attributes.refresh)

    def settle(self) -> None:
        """Propagate until nothing changes; then once more with the questions that were left
        open.
        """
        self.drain()
        if self._recorder:
            self._recorder.note_propagated(self.program)
        self._decorators.settle()
        self.program.containers.settle()
        self.drain()
        self._calls.types.settle()
        self.drain()
        self._members.settle_outside()
        self.drain()
        self._calls.settle()
        self._members.settle()
        self.drain()
        if self._recorder:
            self._recorder.note_solved(
                self.program, self.attributes, self._names, self._calls.types
            )
        for part in (
            self.program.flows,
            self.program.containers,
            self.program.hierarchy,
            self._calls,
            self._members,
        ):
            part.let_go()
