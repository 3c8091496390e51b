"""Constructs that only TypeScript has.

They are interfaces, type aliases, enums, namespaces, `import x = require()` and `export =`.
"""

from collections.abc import Sequence
from types import MappingProxyType

from gieok.code.languages.javascript.definitions import JavaScriptDefinitions
from gieok.code.languages.tree import Node
from gieok.code.model.facts import NOTHING, Namespace, Op, SymbolKind, Variable

_AS_INSIDE = frozenset("Readonly Partial Required NonNullable Pick Omit".split())


class TypeScript(JavaScriptDefinitions):
    """Reader of declared types and namespaces."""

    def _interface(self, node: Node) -> None:
        extended = [
            b
            for c in node.named_children
            if c.type == "extends_type_clause"
            for b in c.named_children
        ]
        self._shape(node, [self.base_(b) for b in extended], self.children(node, "body"))

    def _shape(self, node: Node, bases: Sequence[Variable], members: Sequence[Node]) -> None:
        """Add the class of an interface or an object type."""
        name = self.name(node)
        number, inner = self.class_(node, name, bases)
        before, self.generic = self.generic, self.generic | self.constraints(node)
        for member in members:
            if member.type == "property_signature":
                held = self.annotation(self.field(member, "type"))
                self.builder.copy(self.builder.bind(inner, self.name(member)), held)
        self.generic = before
        self.builder.copy(self.own_variable(name), self.class_value(number))

    def _alias(self, node: Node) -> None:
        """Read a type alias.

        `type Deps = { store: Store }` is like an interface; `type S = A | B` means either type.
        """
        value = self.field(node, "value")
        if value is not None and value.type == "object_type":
            self._shape(node, (), value.named_children)
            return
        name = self.name(node)
        self.symbol(node, name, SymbolKind.CLASS, (), self.doc(node))
        self.builder.copy(self.own_variable(name), self._meant(value))

    def _meant(self, node: Node | None) -> Variable:
        """Return the classes that a type names."""
        if node is None:
            return NOTHING
        if node.type == "type_identifier":
            return self.base_(node)
        if node.type in ("union_type", "intersection_type", "parenthesized_type"):
            return self.builder.merge(*[self._meant(child) for child in node.named_children])
        if node.type == "generic_type":
            is_inside = self.text(node.named_children[0]) in _AS_INSIDE
            return self._meant(
                node.named_children[-1].named_children[0] if is_inside else node.named_children[0]
            )
        return NOTHING

    # Namespaces

    def _namespace(self, node: Node) -> None:
        """Read `namespace Tax.Deep { … }` as an object whose members are named `Tax.Deep.…`."""
        body, names = self.field(node, "body"), self.name(node).split(".")
        if body is None:
            return
        if not all(name.isidentifier() for name in names):  # `declare module "x"`
            self.block(body)
            return
        outer = self.scope
        held = self.builder.container()
        self.builder.copy(self.builder.bind(outer, names[0]), held)
        for name in names[1:]:
            inside = self.builder.container()
            self.store_index(held, name, inside, node)
            held = inside
        self.scope = Namespace(
            outer, outer.symbol, outer.function, f"{outer.prefix}{'.'.join(names)}."
        )
        self.block(body)
        for name, variable in self.scope.names.items():
            self.store_index(held, name, variable, node)
        self.scope = outer

    # Modules

    def import_required(self, clause: Node) -> None:
        """Read `import x = require("./x")`."""
        to = self.own_variable(self.text(clause.named_children[0]))
        source = self.name(clause, "source")[1:-1]
        for name in ("exports", ""):
            self.emit(Op.IMPORT, to, source, name, 0, self.line(clause))

    def _import_alias(self, node: Node) -> None:
        """Read `import rate = Tax.Deep.rate`."""
        name, *parts = [self.text(child) for child in node.named_children]
        first, *rest = ".".join(parts).split(".")
        held = self.lookup(first)
        for part in rest:
            held = self.load(held, part, node)
        self.builder.copy(self.own_variable(name), held)

    def export_assigned(self, node: Node) -> None:
        """Read `export = Shop`."""
        self.builder.copy(self.exports, self.value(node.named_children[-1]))

    handlers = MappingProxyType(
        {
            **JavaScriptDefinitions.handlers,
            "interface_declaration": _interface,
            "type_alias_declaration": _alias,
            "enum_declaration": _alias,
            "import_alias": _import_alias,
            "internal_module": _namespace,
            "module": _namespace,
        }
    )
