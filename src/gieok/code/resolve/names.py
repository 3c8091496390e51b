"""Names of modules and packages.

They are own names, names from star imports, and names that the files of a package share.
"""

from collections import defaultdict

from gieok.code.model.facts import Facts, Op
from gieok.code.resolve.import_links import Linker
from gieok.code.resolve.program import Program, SolverPart
from gieok.code.resolve.values import Value


class Names(SolverPart):
    """Solver part that holds the variable of each name of each module."""

    def __init__(self, program: Program, linker: Linker, files: list[tuple[str, Facts]]) -> None:
        super().__init__(program)
        self.linker = linker
        self.own: list[dict[str, int]] = []
        self.stars: dict[int, list[int]] = defaultdict(list)
        #: Package → name → (file, variable) of the files that define the name.
        self.spaces: dict[str, dict[str, list[tuple[int, int]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for (path, facts), bound in zip(files, program.bounds, strict=True):
            own = {name: bound.variables + variable for name, variable in facts.names.items()}
            self.own.append(own)
            if linker.spaces:
                defined = {i[1] for i in facts.top if i[0] == Op.COPY}
                for name, variable in facts.names.items():
                    if variable in defined:
                        self.spaces[linker.spaces[path]][name].append((bound.file, own[name]))

    def variable(self, file: int, name: str) -> int:
        """Return the variable of a module's name; star imports may add values to it."""
        known = self.own[file].get(name)
        if known is not None:
            return known
        filled: list[tuple[int, int]] = []
        stack = [file]
        self.own[file][name] = self.flows.fresh()
        while stack:
            here = stack.pop()
            for origin in self.stars.get(here, ()):
                if name not in self.own[origin]:
                    self.own[origin][name] = self.flows.fresh()
                    stack.append(origin)
                filled.append((self.own[origin][name], self.own[here][name]))
        for source, to in reversed(filled):
            self.flows.flow(source, to)
        return self.own[file][name]

    def is_bound(self, file: int, name: str) -> bool:
        """Return whether a module's name holds a value by now."""
        return bool(self.flows.held(self.variable(file, name)))

    def bring_all(self, file: int, origin: int) -> None:
        """Give a file all names of another file, those from its star imports included, once.

        The other file is asked for every name, even one that it does not have: it may get the name
        from a star import that is read later. So the order of the files does not matter.
        """
        if origin == file or origin in self.stars[file]:
            return
        self.program.imports[file, origin, 0] = None
        self.stars[file].append(origin)
        own = self.own[file]
        for name in list(own):
            self.flows.flow(self.variable(origin, name), own[name])

    def share(self, file: int, space: str) -> None:
        """Let a package's names reach a file's names that the file does not define itself."""
        shared = self.spaces[space]
        for name, variable in self.own[file].items():
            for origin, other in shared.get(name, ()):
                if origin != file:
                    self.flows.flow(other, variable)
                    self.program.imports[file, origin, 0] = None

    def read_module(self, file: int, name: str, to: int) -> None:
        """Let `to` be module.name: the bound name, or else the submodule of that name."""
        variable = self.variable(file, name)
        self.flows.flow(variable, to)
        member = self.linker.member(self.program.paths[file], name)
        if member is not None and not self.is_bound(file, name):
            self.flows.add(to, self.values.number(Value.MODULE, self.program.file_of[member]))

    def read_package(self, space: str, name: str, to: int) -> None:
        """Let `to` be package.name."""
        if self.linker.spaces:
            for _, variable in self.spaces[space].get(name, ()):
                self.flows.flow(variable, to)
            return
        target = self.linker.target("", f"{space}.{name}", "", 0)
        if target.file is not None:
            self.flows.add(to, self.values.number(Value.MODULE, self.program.file_of[target.file]))
        elif target.package:
            self.flows.add(to, self.values.number(Value.PACKAGE, target.package))
