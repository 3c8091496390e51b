"""Definitions of JavaScript and TypeScript.

Definitions are functions, classes, functions that are used as classes, and interfaces.
"""

from types import MappingProxyType

from gieok.code.languages.javascript.names import JavaScriptNames
from gieok.code.languages.tree import Node
from gieok.code.model.facts import NOTHING, Namespace, SymbolKind, Trait, Variable

FUNCTIONS = frozenset(
    """
        function_declaration generator_function_declaration function_expression
        generator_function arrow_function function method_definition
    """.split()
)


class JavaScriptDefinitions(JavaScriptNames):
    """Reader of definitions."""

    def body(self, node: Node) -> None:
        """Read a function's body; an arrow function's body may be the expression that it
        returns.
        """
        if node.type == "statement_block":
            self.block(node)
        else:
            self.give(self.value(node))

    def _function_declaration(self, node: Node) -> None:
        name = self.name(node)
        value = self.make(node, name)
        self.bind(name, value)

    def start(self) -> None:
        """Begin without functions."""
        super().start()
        #: Offset of each function that was read → its number.
        self.numbers: dict[int, int] = {}
        #: Offsets of functions that are a part of the symbol around them, whatever their own name
        #: is; and the symbols that such functions are the body of.
        self.unnamed: set[int] = set()
        self.bound: set[int] = set()

    def _function_expression(self, node: Node) -> Variable:
        return self.make(node, "" if node.start_byte in self.unnamed else self.name(node))

    def bound_value(self, value: Node, name: str, kind: str = SymbolKind.FUNCTION) -> Variable:
        """Return the value of an expression that is bound to a name."""
        raise NotImplementedError

    def prefixed(self, name: str) -> Namespace:
        """Return the current scope, with symbols in it named `name.…`."""
        outer = self.scope
        scope = Namespace(
            outer.outer, outer.symbol, outer.function, f"{outer.prefix}{name}.", outer.owner
        )
        scope.names, scope.outward = outer.names, outer.outward
        return scope

    def inner_prefix(self, symbol: int) -> str:
        """Return the beginning of the names inside of a symbol.

        Inside of a function without a name in a bound call it is that of the call's symbol.
        """
        symbols = self.builder.symbols
        is_part = symbols[symbol].kind == SymbolKind.LAMBDA and self.scope.symbol in self.bound
        return super().inner_prefix(self.scope.symbol if is_part else symbol)

    def make(self, node: Node, name: str) -> Variable:
        """Add a function.

        A function that is used as a class becomes a class, with itself as constructor.
        """
        if (
            name
            and node.type not in ("method_definition", "arrow_function")
            and self._is_constructor(node, name)
        ):
            return self._function_class(node, name)
        return self.function_value(self._add(node, name, SymbolKind.FUNCTION))

    def _is_constructor(self, node: Node, name: str) -> bool:
        return name in self.constructors or (
            name[:1].isupper() and "this." in self.name(node, "body")
        )

    def _add(self, node: Node, name: str, kind: str, traits: tuple[str, ...] = ()) -> int:
        before, self.generic = self.generic, self.generic | self.constraints(node)
        number = self._read_head(node, name, kind, traits)
        self.generic = before
        return number

    def constraints(self, node: Node) -> dict[str, Variable]:
        """Return type parameter → its bound: Shape for `T` of `<T extends Shape>`."""
        bounds = {}
        for parameter in self.children(node, "type_parameters"):
            extended = self.field(parameter, "constraint")
            if extended is not None and extended.named_children:
                bounds[self.name(parameter)] = self.base_(extended.named_children[0])
        return bounds

    def _read_head(self, node: Node, name: str, kind: str, traits: tuple[str, ...]) -> int:
        parameters, patterns, rest = self._parameters(node)
        body = self.field(node, "body")
        if node.type.startswith("generator") or (
            node.type == "method_definition" and any(c.type == "*" for c in node.children)
        ):
            traits = (*traits, Trait.GENERATOR)
        receiver = "" if node.type == "arrow_function" else "this"
        number, inner = self.function(
            node, name, kind, parameters, body, receiver=receiver, rest=rest, traits=traits
        )
        if "expression" in node.type and (own := self.name(node)) and own not in inner.names:
            self.bind(own, self.function_value(number), inner)
        outer, self.scope = self.scope, inner
        for pattern, variable in patterns:
            self._declare(pattern)
            self.assign(pattern, inner.names.get(variable, NOTHING))
        self.scope = outer
        returns = self.field(node, "return_type")
        self.builder.copy(self.builder.functions[number].result, self.annotation(returns))
        self.newest = number
        self.numbers[node.start_byte] = number
        return number

    def _parameters(
        self, node: Node
    ) -> tuple[list[tuple[str, Variable]], list[tuple[Node, str]], str]:
        """Return the parameters as (name, annotation), the patterns to destructure, and a name.

        The name is that of the rest parameter (`...rest`).
        """
        single = self.field(node, "parameter")
        listed = self.field(node, "parameters")
        nodes = (
            [single]
            if single is not None
            else list(listed.named_children)
            if listed is not None
            else []
        )
        parameters: list[tuple[str, Variable]] = []
        patterns: list[tuple[Node, str]] = []
        rest = ""
        for place, parameter in enumerate(n for n in nodes if n.type != "comment"):
            target: Node | None = parameter
            default: Variable = NOTHING
            annotation = self.annotation(self.field(parameter, "type"))
            if parameter.type in ("required_parameter", "optional_parameter"):
                default = self.field_value(parameter, "value")
                target = self.field(parameter, "pattern")
            elif parameter.type == "assignment_pattern":
                default = self.field_value(parameter, "right")
                target = self.field(parameter, "left")
            if target is None:
                continue
            if target.type == "rest_pattern":
                rest = self.text(target).removeprefix("...")
                continue
            name = self.text(target) if target.type == "identifier" else f"<{place}>"
            if target.type not in ("identifier", "this"):
                patterns.append((target, name))
            parameters.append((name, self.builder.merge(annotation, default)))
        return parameters, patterns, rest

    def _function_class(self, node: Node, name: str) -> Variable:
        number, inner = self.class_(node, name, ())
        outer, self.scope = self.scope, inner
        constructor = self.function_value(self._add(node, "constructor", SymbolKind.METHOD))
        self.bind("__init__", constructor, inner)
        self.scope = outer
        return self.class_value(number)

    def _return(self, node: Node) -> None:
        if node.named_children:
            self.give(self.value(node.named_children[0]))

    def _yield(self, node: Node) -> None:
        for child in node.named_children:
            self.builder.copy(self.current.yields, self.value(child))

    # Classes

    def _class_declaration(self, node: Node) -> None:
        name = self.name(node)
        self.builder.copy(self.own_variable(name), self._class(node, name))

    def _class_expression(self, node: Node) -> Variable:
        return self._class(node, self.name(node) or self.builder.lambda_name(self.scope.symbol))

    def _class(self, node: Node, name: str) -> Variable:
        bases = [
            self.base_(b)
            for child in node.named_children
            if child.type == "class_heritage"
            for b in _find_heritage_bases(child)
        ]
        self._decorators(node)
        number, inner = self.class_(node, name, bases)
        outer, self.scope = self.scope, inner
        before, self.generic = self.generic, self.generic | self.constraints(node)
        for member in self.children(node, "body"):
            self._class_member(member, inner)
        self.scope, self.generic = outer, before
        return self.class_value(number)

    def _decorators(self, node: Node) -> None:
        """Read decorators: `@log()` calls `log`, and then the result of `log`."""
        for child in node.named_children:
            if child.type == "decorator":
                self.call(self.first(child), [], child)

    def base_(self, node: Node) -> Variable:
        """Return the class that a type or an expression names."""
        if node.type == "generic_type":
            node = node.named_children[0]
        if node.type == "type_identifier" and self.text(node) in self.generic:
            return self.generic[self.text(node)]
        return self.lookup(self.text(node)) if node.type == "type_identifier" else self.value(node)

    def _class_member(self, member: Node, inner: Namespace) -> None:
        if member.type == "decorator":
            self.call(self.first(member), [], member)
            return
        self._decorators(member)
        name_node = self.field(member, "name") or self.field(member, "property")
        name = self.text(name_node).strip("\"'")
        if member.type == "method_definition":
            kinds = {child.type for child in member.children}
            traits = tuple(
                t for word, t in (("static", Trait.CLASS), ("get", Trait.PROPERTY)) if word in kinds
            )
            method = self.function_value(self._add(member, name, SymbolKind.METHOD, traits))
            self.bind("__init__" if name == "constructor" else name, method, inner)
            if name == "constructor":
                self._parameter_properties(member)
        elif member.type in ("field_definition", "public_field_definition"):
            self._field(member, name, inner)
        elif member.type == "class_static_block":
            self.nothing(member)

    def _field(self, member: Node, name: str, inner: Namespace) -> None:
        value = self.field(member, "value")
        held = self.annotation(self.field(member, "type"))
        if value is not None and value.type in FUNCTIONS:
            held = self.function_value(self._add(value, name, SymbolKind.METHOD))
        elif value is not None:
            held = self.builder.merge(self.bound_value(value, name, SymbolKind.METHOD), held)
        self.bind(name, held, inner)

    def _parameter_properties(self, member: Node) -> None:
        """Declare the fields of parameter properties: `constructor(private store: Store)`."""
        for parameter in self.children(member, "parameters"):
            if any(
                child.type in ("accessibility_modifier", "readonly") for child in parameter.children
            ):
                name = self.name(parameter, "pattern")
                self.builder.copy(
                    self.own_variable(name),
                    self.annotation(self.field(parameter, "type")),
                )

    handlers = MappingProxyType(
        {
            **JavaScriptNames.handlers,
            "function_declaration": _function_declaration,
            "generator_function_declaration": _function_declaration,
            "arrow_function": _function_expression,
            "function_expression": _function_expression,
            "function": _function_expression,
            "generator_function": _function_expression,
            "class_declaration": _class_declaration,
            "class": _class_expression,
            "abstract_class_declaration": _class_declaration,
            "return_statement": _return,
            "yield_expression": _yield,
        }
    )


def _find_heritage_bases(heritage: Node) -> list[Node]:
    """Return the types that a class extends and implements, in the grammars of both languages."""
    bases: list[Node] = []
    for child in heritage.named_children:
        if child.type == "extends_clause":
            value = child.child_by_field_name("value")
            bases += [value] if value is not None else []
        elif child.type == "implements_clause":
            bases += child.named_children
        else:
            bases.append(child)
    return bases
