"""Resolution of imports: the names that they bind."""

from collections.abc import Sequence

from gieok.code.resolve.import_links import Target
from gieok.code.resolve.members import Members
from gieok.code.resolve.names import Names
from gieok.code.resolve.program import FileOffsets, SolverPart
from gieok.code.resolve.values import Value


class Imports(SolverPart):
    """Solver part that lets a file's names hold the imported modules, packages and names."""

    def __init__(self, names: Names, members: Members) -> None:
        super().__init__(names.program)
        self._names = names
        self._members = members

    def bind(
        self, bound: FileOffsets, to: int, module: str, name: str, level: int, line: int
    ) -> None:
        """Run `from module import name as to`; without `name`, import the module itself."""
        program, flows, values = self.program, self.flows, self.values
        target = self._names.linker.target(program.paths[bound.file], module, name, level)
        self._note(bound.file, target, line)
        file = program.file_of.get(target.file) if target.file is not None else None
        if target.space is not None:
            self._bind_space(bound, target, to, line)
        elif file is not None and target.path:
            self._follow(
                bound, self._names.variable(file, target.path[0]), target.path[1:], to, line
            )
        elif file is not None and name:
            flows.flow(self._names.variable(file, name), to)
        elif file is not None:
            flows.add(to, values.number(Value.MODULE, file))
        if target.member is not None and (file is None or not self._names.is_bound(file, name)):
            flows.add(to, values.number(Value.MODULE, program.file_of[target.member]))
        if target.package:
            flows.add(to, values.number(Value.PACKAGE, target.package))
        if target.external:
            flows.add(to, values.number(Value.EXTERNAL, target.external.rpartition(".")[2]))

    def _bind_space(self, bound: FileOffsets, target: Target, to: int, line: int) -> None:
        """Import a package (Go), or a class inside of a package (Java)."""
        space = self._names.spaces[target.space or ""]
        if not target.path:
            self.flows.add(to, self.values.number(Value.PACKAGE, target.space or ""))
            paths, linker = self.program.paths, self._names.linker
            for origin in {origin for origins in space.values() for origin, _ in origins}:
                if origin != bound.file and linker.is_handed_out(paths[origin]):
                    self.program.imports[bound.file, origin, line] = None
            return
        held = self.flows.fresh()
        for origin, variable in space.get(target.path[0], ()):
            self.program.imports[bound.file, origin, line] = None
            self.flows.flow(variable, held)
        self._follow(bound, held, target.path[1:], to, line)

    def _follow(
        self, bound: FileOffsets, held: int, path: Sequence[str], to: int, line: int
    ) -> None:
        """Let `to` hold the value of `held`.a.b…."""
        for name in path:
            after = self.flows.fresh()
            self.flows.wait(held, (self._members.load, after, name, bound.symbols, line))
            held = after
        self.flows.flow(held, to)

    def _note(self, file: int, target: Target, line: int) -> None:
        for path in (target.file, target.member):
            if path is not None and path != self.program.paths[file]:
                self.program.imports[file, self.program.file_of[path], line] = None

    def bind_all(self, bound: FileOffsets, module: str, level: int) -> None:
        """Run `from module import *`.

        Where the files of a package share their names, the names of the package are imported.
        """
        linker = self._names.linker
        paths = linker.all_of(self.program.paths[bound.file], module, level)
        if not linker.spaces:
            for path in paths:
                self._names.bring_all(bound.file, self.program.file_of[path])
        elif paths:
            self._names.share(bound.file, linker.spaces[paths[0]])
