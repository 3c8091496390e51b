"""Read Go into facts.

Facts cover packages by folder, methods by receiver, fields and embedding, results of functions, and
composite literals.
"""

import re
from collections.abc import Sequence
from types import MappingProxyType

from gieok.code.languages.go.standard import STANDARD
from gieok.code.languages.tree import Node, TreeReader, first_child
from gieok.code.model.facts import (
    NOTHING,
    ClassFact,
    FunctionFact,
    Namespace,
    Op,
    SymbolKind,
    Trait,
    Variable,
)

_BUILTINS = frozenset(
    """
        append cap close complex copy delete imag len make new panic print println real
        recover string int int64 float64 bool byte rune error uint error nil true false iota
    """.split()
)


_QUALIFIED = re.compile(r"\b(\w+)\.(\w+)")
_SAME_AS = {"byte": "uint8", "rune": "int32"}
_SAME = re.compile(r"\b(?:byte|rune)\b")
_VERSION = re.compile(r"[/.]v\d+$")
_HOLDERS = frozenset(("slice_type", "array_type", "map_type", "channel_type"))


class GoReader(TreeReader):
    """Reader of Go."""

    branches = frozenset(
        "if_statement for_statement expression_case type_case communication_case".split()
    )

    def start(self) -> None:
        """Give a file the names of the other files of its folder."""
        self.emit(Op.IMPORT_ALL, "", 0)  # the other files of the folder
        #: Type parameters where a type or a method is declared.
        self.generic: dict[str, Variable] = {}
        #: Name of a package → its import path.
        self._imported: dict[str, str] = {}

    def declare(self, node: Node) -> None:
        """Bind the functions and types of a file, which are known before their definitions."""
        if node.type != "source_file":
            return
        for child in node.named_children:
            if child.type == "function_declaration":
                self.own_variable(self.name(child))
            elif child.type == "type_declaration":
                for spec in child.named_children:
                    self.own_variable(self.name(spec))

    def _package(self, node: Node) -> None:
        self.builder.package = self.text(node.named_children[-1])

    def _import(self, node: Node) -> None:
        path = self.name(node, "path").strip('"`')
        name = self.name(node)
        if name == ".":
            self.emit(Op.IMPORT_ALL, path, 0)
            return
        for bound in [name] if name else _package_names(path):
            self._imported[bound] = path
            self.emit(
                Op.IMPORT,
                self.module_variable(bound),
                path,
                "",
                0,
                self.line(node),
            )

    # Definitions

    def _function(self, node: Node) -> None:
        name = self.name(node)
        is_test = name.startswith(("Test", "Benchmark", "Fuzz", "Example"))
        number = self._add(node, name, SymbolKind.FUNCTION, traits=(Trait.TEST,) if is_test else ())
        self.builder.copy(self.module_variable(name), self.function_value(number))

    def _add(
        self, node: Node, name: str, kind: str, receiver: str = "", traits: tuple[str, ...] = ()
    ) -> int:
        parameters, rest, elements = self._parameters(self.children(node, "parameters"))
        body = self.field(node, "body")
        number, inner = self.function(
            node, name, kind, parameters, body, receiver=receiver, rest=rest, traits=traits
        )
        self.builder.copy(self.builder.functions[number].rest, elements)
        self._results(self.field(node, "result"), self.builder.functions[number], inner)
        return number

    def _parameters(
        self, listed: Sequence[Node]
    ) -> tuple[list[tuple[str, Variable]], str, Variable]:
        """Return the parameters as (name, annotation), and the variadic parameter.

        The variadic parameter is given by its name and its declared variable.
        """
        parameters: list[tuple[str, Variable]] = []
        rest, elements = "", NOTHING
        for parameter in listed:
            names = [self.text(c) for c in parameter.named_children if c.type == "identifier"]
            kind = self.field(parameter, "type")
            if parameter.type == "variadic_parameter_declaration":
                rest, elements = names[0] if names else "", self.holding(self.type(kind), parameter)
            elif parameter.type == "parameter_declaration":
                parameters += [
                    (name, self.type(kind)) for name in names or [f"<{len(parameters)}>"]
                ]
        return parameters, rest, elements

    def _results(self, node: Node | None, fact: FunctionFact, inner: Namespace) -> None:
        """Declare a function's results: one result is the value, several are a container by
        position.
        """
        if node is None:
            return
        if node.type != "parameter_list":
            self.builder.copy(fact.result, self.type(node))
            return
        held = self.builder.container()
        self.builder.copy(fact.result, held)
        place = 0
        for part in node.named_children:
            names = [self.text(c) for c in part.named_children if c.type == "identifier"]
            for name in names or [""]:
                value = self.declared_type(part)
                if name and value != NOTHING:
                    self.bind(name, value, inner)
                self.store_index(held, place, value, part)
                place += 1

    def _method(self, node: Node) -> None:
        listed = self.field(node, "receiver")
        declaration = first_child(listed)
        kind = self.field(declaration, "type") if declaration is not None else None
        owner = self.text(kind).lstrip("*").partition("[")[0]
        receiver = (
            self.text(self.child(declaration, "identifier") if declaration is not None else None)
            or "_"
        )
        name = self.name(node)
        held = self.module_variable(owner)
        arguments = self.text(kind).partition("[")[2].rstrip("]").split(",")
        self.generic = {
            a.strip(): self.load(held, f"[{n}]", node) for n, a in enumerate(arguments) if a.strip()
        }
        outer = self.scope
        self.scope = Namespace(outer, outer.symbol, outer.function, f"{outer.prefix}{owner}.")
        # A method of a suite (testify, go-check), which a function of the package runs.
        is_test = name.startswith("Test") and self.text(self.field(node, "parameters")) == "()"
        number = self._add(
            node, name, SymbolKind.METHOD, receiver, (Trait.TEST,) if is_test else ()
        )
        is_generic = bool(self.generic)
        self.scope, self.generic = outer, {}
        fact = self.builder.functions[number]
        self.builder.copy(fact.parameters[0], self.declared(held))
        method = self.function_value(number)
        self.store(held, name, method, node)
        if not is_generic:  # of a generic type the name alone is compared with an interface's
            self.store(held, name + self._signature(node), method, node)

    def _signature(self, node: Node) -> str:
        """Return the types of a method as one text.

        Packages are part of the text: `(string)File,error` is not `(string)http.File,error`.
        """
        parameters, result = (
            self._types(self.field(node, "parameters")),
            self._types(self.field(node, "result")),
        )
        return f"({parameters}){result}"

    def _types(self, listed: Node | None) -> str:
        if listed is None:
            return ""
        if listed.type != "parameter_list":
            return self._plain_type(listed)
        types: list[str] = []
        for parameter in listed.named_children:
            kind = self.field(parameter, "type")
            if kind is not None:
                names = sum(child.type == "identifier" for child in parameter.named_children)
                dots = "..." if parameter.type == "variadic_parameter_declaration" else ""
                types += [dots + self._plain_type(kind)] * max(names, 1)
        return ",".join(types)

    def _plain_type(self, node: Node) -> str:
        """Return a type's text without the parts that may differ between equal types.

        Such parts are names of parameters and of the project's packages, and aliases of one type.
        """
        text = re.sub(r"\s+", "", self.text(node).replace("interface{}", "any"))
        if "func(" in text or "struct{" in text:
            return re.sub(r"(func\(|struct\{).*", r"\1", text)
        return _QUALIFIED.sub(self._unqualified, _SAME.sub(lambda match: _SAME_AS[match[0]], text))

    def _unqualified(self, match: re.Match[str]) -> str:
        path = self._imported.get(match[1], "")
        return f"{path.rpartition('/')[2]}.{match[2]}" if path in STANDARD else match[2]

    def _type_spec(self, node: Node) -> None:
        name, kind = self.name(node), self.field(node, "type")
        number, inner = self.class_(node, name, ())
        bases: list[Variable] = []
        inside = [c for part in self.children(node, "type_parameters") for c in part.named_children]
        parameters = [self.text(c) for c in inside if c.type == "identifier"]
        self.generic = {
            parameter: self.builder.bind(inner, f"[{place}]")
            for place, parameter in enumerate(parameters)
        }
        outer, self.scope = self.scope, inner
        for field in self._fields(kind):
            names = [self.text(c) for c in field.named_children if c.type == "field_identifier"]
            held = self.declared_type(field)
            for field_name in names:
                self.bind(field_name, held, inner)
            if not names:  # embedded
                bases.append(self._named(self.field(field, "type")))
                embedded = self.name(field, "type").lstrip("*").rpartition(".")[2]
                self.bind(embedded, held, inner)
        if kind is not None and (element := self._element_type(kind)) is not None:
            self.builder.copy(self.builder.bind(inner, "[]"), self.type(element))
        for method in (
            kind.named_children if kind is not None and kind.type == "interface_type" else ()
        ):
            if method.type in ("method_elem", "method_spec"):
                signature = "" if self.generic else self._signature(method)
                self.builder.bind(inner, f"<{self.name(method)}{signature}>")
            else:
                bases += [self._named(c) for c in method.named_children]
        self.scope, self.generic = outer, {}
        fact = self.builder.classes[number]
        self.builder.classes[number] = ClassFact(
            fact.symbol, fact.attributes, tuple(b for b in bases if b != NOTHING)
        )
        self.builder.copy(self.own_variable(name), self.class_value(number))

    def _element_type(self, kind: Node) -> Node | None:
        """Return the element type of a slice, array, map or channel."""
        return (
            self.field(kind, "element") or self.field(kind, "value")
            if kind.type in _HOLDERS
            else None
        )

    def element(self, place: Variable, node: Node) -> Variable:
        """Return the elements of `place`, also where its type is a named one (`type Shapes
        []Shape`).
        """
        return self.builder.merge(super().element(place, node), self.load(place, "[]", node))

    def _fields(self, kind: Node | None) -> list[Node]:
        if kind is None or kind.type != "struct_type":
            return []
        return [
            f
            for part in kind.named_children
            for f in part.named_children
            if f.type == "field_declaration"
        ]

    def _literal(self, node: Node) -> Variable:
        return self.function_value(self._add(node, "", SymbolKind.LAMBDA))

    # Types

    def _named(self, node: Node | None) -> Variable:
        """Return the variable of the type that a name means."""
        if node is None:
            return NOTHING
        while (
            node.type in ("pointer_type", "parenthesized_type", "type_elem") and node.named_children
        ):
            node = node.named_children[0]
        if node.type == "generic_type":
            return self._filled(node)
        if node.type == "type_identifier":
            name = self.text(node)
            if name in self.generic:
                return self.generic[name]
            return NOTHING if name in _BUILTINS else self.module_variable(name)
        if node.type == "qualified_type":
            package, _, name = self.text(node).partition(".")
            return self.load(self.module_variable(package), name, node)
        return NOTHING

    def _filled(self, node: Node) -> Variable:
        """Read `Cache[K, V]`: type arguments are kept with the type, one set for all uses."""
        held, listed = self._named(self.field(node, "type")), self.children(node, "type_arguments")
        for place, argument in enumerate(listed):
            if NOTHING not in (held, value := self._named(argument)):
                self.store(held, f"[{place}]", value, node)
        return held

    def type(self, node: Node | None) -> Variable:
        """Return a variable of what a variable of this type may hold."""
        if node is None:
            return NOTHING
        if node.type in _HOLDERS:
            return self.holding(self.type(self._element_type(node)), node)
        return self.declared(self._named(node))

    # Expressions

    def _identifier(self, node: Node) -> Variable:
        name = self.text(node)
        return self.builder.external(name) if self._is_builtin(name) else self.lookup(name)

    def _is_builtin(self, name: str) -> bool:
        return name in _BUILTINS and not any(name in scope.names for scope in self.scope.outwards())

    def _selector(self, node: Node) -> Variable:
        return self.load(self.field_value(node, "operand"), self.name(node, "field"), node)

    def _call(self, node: Node) -> Variable:
        callee, listed = self.field(node, "function"), self.field(node, "arguments")
        if callee is None:
            return NOTHING
        name = self.text(callee)
        if (
            name in ("new", "make")
            and self._is_builtin(name)
            and listed is not None
            and listed.named_children
        ):
            return self.type(listed.named_children[0])
        arguments = self.arguments(listed)
        if callee.type == "selector_expression":
            place = self.field_value(callee, "operand")
            return self.call_method(place, self.name(callee, "field"), arguments, node)
        held = self.value(callee)
        if name == "append":
            for _, value in arguments[1:]:
                self.call_method(
                    held if not arguments else arguments[0][1], "append", [("", value)], node
                )
            return arguments[0][1] if arguments else NOTHING
        return self.call(held, arguments, node, name if callee.type == "identifier" else "")

    def _composite(self, node: Node) -> Variable:
        kind = self.field(node, "type")
        named = self._named(kind)
        elements = [
            e for e in self.children(node, "body") if e.type in ("keyed_element", "literal_element")
        ]
        if named == NOTHING:
            held = self.row(elements, lambda element: self.value(element.named_children[-1]), "*")
            inner = (
                self.field(kind, "element") or self.field(kind, "value")
                if kind is not None
                else None
            )
            return self.builder.merge(held, self.holding(self.type(inner), node))
        arguments = [
            (
                self.text(e.named_children[0]) if e.type == "keyed_element" else "",
                self.value(e.named_children[-1]),
            )
            for e in elements
        ]
        return self.call(named, arguments, node)

    def _conversion(self, node: Node) -> Variable:
        return self.builder.merge(self.field_value(node, "operand"), self.declared_type(node))

    def _unary(self, node: Node) -> Variable:
        held = self.field_value(node, "operand")
        return self.element(held, node) if self.name(node, "operator") == "<-" else held

    def _assertion(self, node: Node) -> Variable:
        self.field_value(node, "operand")
        return self.declared_type(node)

    def _type_switch(self, node: Node) -> None:
        alias = self.field(node, "alias")
        self.field_value(node, "value")
        for case in node.named_children:
            if case.type == "type_case" and alias is not None:
                variable = self.own_variable(self.text(alias))
                for child in case.named_children:
                    if "type" in child.type:
                        self.builder.copy(variable, self.type(child))
            if case.type in ("type_case", "default_case"):
                self.nothing(case)

    def _short(self, node: Node) -> None:
        targets = self.children(node, "left")
        values = self._parts(self.children(node, "right"), len(targets), node)
        for target, value in zip(targets, values, strict=True):
            self.assign(target, value, is_new=node.type == "short_var_declaration")

    def _parts(self, sources: Sequence[Node], count: int, node: Node) -> list[Variable]:
        """Return the value for each of `count` targets.

        A target gets its own value, or its part of a single value.
        """
        values = [self.value(source) for source in sources]
        if len(values) == count:
            return values
        return [self._part(values[0] if values else NOTHING, place, node) for place in range(count)]

    def _part(self, value: Variable, place: int, node: Node) -> Variable:
        taken = self.index(value, place, node)
        return self.builder.merge(taken, value) if place == 0 else taken  # `x, ok := m[k]`

    def assign(self, target: Node, value: Variable, *, is_new: bool) -> None:
        """Let a value flow into a target."""
        if target.type == "identifier":
            name = self.text(target)
            self.builder.copy(self.own_variable(name) if is_new else self.lookup(name), value)
        elif target.type == "selector_expression":
            self.store(
                self.field_value(target, "operand"), self.name(target, "field"), value, target
            )
        elif target.type == "index_expression":
            self.store_index(self.field_value(target, "operand"), "*", value, target)

    def _var(self, node: Node) -> None:
        kind = self.field(node, "type")
        names = [c for c in node.named_children if c.type == "identifier"]
        for name, value in zip(
            names, self._parts(self.children(node, "value"), len(names), node), strict=True
        ):
            variable = self.own_variable(self.text(name))
            self.builder.copy(variable, self.builder.merge(value, self.type(kind)))

    def _return(self, node: Node) -> None:
        for child in node.named_children:
            parts = child.named_children if child.type == "expression_list" else [child]
            values = [self.value(part) for part in parts]
            if len(values) == 1:
                self.give(values[0])
                continue
            held = self.builder.container()
            for place, value in enumerate(values):
                self.store_index(held, place, value, node)
            self.give(held)

    def _range(self, node: Node) -> None:
        held = self.element(self.field_value(node, "right"), node)
        for target in self.children(node, "left")[-1:]:
            self.assign(target, held, is_new=True)

    def _index(self, node: Node) -> Variable:
        self.field_value(node, "index")
        return self.element(self.field_value(node, "operand"), node)

    handlers = MappingProxyType(
        {
            "package_clause": _package,
            "import_spec": _import,
            "function_declaration": _function,
            "method_declaration": _method,
            "type_spec": _type_spec,
            "type_alias": _type_spec,
            "identifier": _identifier,
            "selector_expression": _selector,
            "call_expression": _call,
            "composite_literal": _composite,
            "func_literal": _literal,
            "short_var_declaration": _short,
            "assignment_statement": _short,
            "var_spec": _var,
            "const_spec": _var,
            "return_statement": _return,
            "range_clause": _range,
            "index_expression": _index,
            "type_assertion_expression": _assertion,
            "unary_expression": _unary,
            "binary_expression": TreeReader.nothing,
            "interpreted_string_literal": TreeReader.text_value,
            "raw_string_literal": TreeReader.text_value,
            "type_identifier": _named,
            "field_identifier": TreeReader.skip,
            "qualified_type": _named,
            "pointer_type": _named,
            "label_name": TreeReader.skip,
            "type_conversion_expression": _conversion,
            "expression_statement": TreeReader.nothing,
            "parameter_list": TreeReader.skip,
            "slice_type": TreeReader.skip,
            "map_type": TreeReader.skip,
            "array_type": TreeReader.skip,
            "blank_identifier": TreeReader.skip,
            "type_switch_statement": _type_switch,
        }
    )


def _package_names(path: str) -> list[str]:
    """Return the possible names of a package, from its path.

    `v3` and `.v3` are versions, and `go-` is not part of a name.
    """
    last = _VERSION.sub("", path).rpartition("/")[2]
    return list(
        dict.fromkeys(
            (
                path.rpartition("/")[2],
                last,
                last.removeprefix("go-").removesuffix("-go"),
                last.replace("-", "_"),
            )
        )
    )
