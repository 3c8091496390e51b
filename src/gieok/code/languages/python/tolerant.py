"""Read Python that `ast` refuses into facts, by the tree-sitter grammar.

Such a file is in the middle of an edit, of Python 2, or of newer syntax.

Facts are symbols, imports, calls, attributes, plain assignments and annotations; no containers,
generators or operators. A bracket that is never closed swallows the text after it: so the file is
also parsed without the line that `ast` names, and in pieces that begin with a definition at the
margin. One bad line costs 2 to 5 of 100 symbols, an open string of three quotes 23 (else 14 to 53).
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

from gieok.code.languages.language import Language
from gieok.code.languages.python import reader
from gieok.code.languages.python.definitions import TRAITS
from gieok.code.languages.python.expressions import BUILTINS
from gieok.code.languages.tree import Node, TreeReader, first_child, list_children
from gieok.code.model.facts import (
    NOTHING,
    Argument,
    Facts,
    Namespace,
    Op,
    SymbolKind,
    Trait,
    Variable,
)

if TYPE_CHECKING:
    from gieok.machine.parsers.treesitter import TreeSitterParser

_DEFINITIONS = ("function_definition", "class_definition")
_MARGIN = ("@", "def ", "class ", "async def ")
#: Empty lines cost too.
_MOST_PIECES = 100
_INDENT = re.compile(r"\s*")


class PythonLanguage(Language):
    """Python, read by `ast` or by the tolerant grammar."""

    def read(self, text: str, parser: "TreeSitterParser") -> Facts:
        """Return the facts of a file; those of a file that does not parse have an `error`."""
        try:
            return reader.read_python(text)
        except SyntaxError as error:
            line, reason = error.lineno or 0, f"{error.msg}, line {error.lineno}"
        except (ValueError, RecursionError, MemoryError) as error:
            line, reason = 0, str(error) or type(error).__name__

        @cache  # a text without definitions is one piece
        def parse(source: str) -> Node:
            return parser.parse(self.grammar, source.encode("utf-8", "surrogatepass"))

        facts = _TolerantReader(
            self.name,
            text.encode("utf-8", "surrogatepass"),
            _parse_best_trees(text, line, parse),
            parse,
        ).read()
        return facts._replace(error=f"did not parse ({reason}): read with the tolerant grammar")


def _parse_best_trees(text: str, line: int, parse: Callable[[str], Node]) -> list[Node]:
    """Return the syntax trees of a file from the parse that finds most definitions.

    The file is parsed whole or in pieces, with or without line `line`.
    """
    whole = parse(text)
    if not whole.has_error:
        return [whole]
    ways = [
        [parse(part) for part in parts]
        for source in (_blank_out_line(text, line), text)
        for parts in ([source], _split_at_definitions(source))
    ]
    return max(ways, key=lambda roots: sum(map(_count_definitions, roots)))


def _blank_out_line(text: str, line: int) -> str:
    """Return a text with one line replaced by a line that does nothing."""
    lines = text.split("\n")
    if 0 < line <= len(lines):
        # _INDENT matches the empty text too, so there is always a match.
        lines[line - 1] = _INDENT.match(lines[line - 1])[0] + "pass"  # type: ignore[index]
    return "\n".join(lines)


def _split_at_definitions(text: str) -> list[str]:
    """Cut a file before the definitions at its margin.

    Each piece begins with empty lines, so that line numbers stay those of the file.
    """
    lines = text.split("\n")
    starts = [
        number
        for number, (before, line) in enumerate(pairwise(["", *lines]))
        if line.startswith(_MARGIN) and not before.startswith("@")
    ]
    starts = [0, *starts[:: len(starts) // _MOST_PIECES + 1]]
    return [
        "\n" * start + "\n".join(lines[start:end])
        for start, end in zip(starts, [*starts[1:], None], strict=True)
    ]


def _count_definitions(root: Node) -> int:
    count, waiting = 0, [root]
    while waiting:
        node = waiting.pop()
        count += node.type in _DEFINITIONS
        waiting += node.named_children
    return count


class _TolerantReader(TreeReader):
    branches = frozenset(
        """
            if_statement elif_clause for_statement while_statement try_statement
            boolean_operator conditional_expression list_comprehension set_comprehension
            generator_expression match_statement
        """.split()
    )

    def start(self) -> None:
        module = self.builder.symbols[0]
        self.builder.symbols[0] = module._replace(doc=_read_tolerant_docstring(self.roots[0]))

    def text(self, node: Node | None) -> str:
        return (node.text or b"").decode("utf-8", "replace") if node is not None else ""

    def doc(self, node: Node) -> str:
        definition = self.field(node, "definition") or node
        return _read_tolerant_docstring(self.field(definition, "body"))

    def lookup(self, name: str) -> Variable:
        for scope in self.scope.outwards():
            if name in scope.names or name in scope.outward:
                return self.builder.bind(scope, name)
        return self.builder.external(name) if name in BUILTINS else self.module_variable(name)

    def closure(self) -> Namespace:
        return self.outside_class()

    # Definitions

    def _decorated(self, node: Node) -> None:
        definition = self.field(node, "definition")
        if definition is not None:
            self._define(definition, node)
        else:
            self.nothing(node)

    def _define(self, node: Node, whole: Node | None = None) -> None:
        """Add a function or class; `whole` is the node with its decorators."""
        whole = whole or node
        name = self.name(node)
        if not name:
            self.nothing(node)
            return
        decorators = [
            child.named_children[0] for child in whole.named_children if child.type == "decorator"
        ]
        if node.type == "class_definition":
            value = self._class(node, whole, name)
        else:
            value = self._function(node, whole, name, [self._last_name(d) for d in decorators])
        for decorator in reversed(decorators):
            decorating = self.value(decorator)
            if decorating != NOTHING:
                decorated = self.builder.fresh()
                self.emit(
                    Op.DECORATE,
                    decorated,
                    decorating,
                    value,
                    self.scope.symbol,
                    self.line(decorator),
                )
                value = decorated if node.type == "function_definition" else value
        self.bind(name, value)

    def _last_name(self, node: Node) -> str:
        node = self.field(node, "function") or node
        return self.text(node).rpartition(".")[2]

    def _function(self, node: Node, whole: Node, name: str, decorators: Sequence[str]) -> Variable:
        traits = {TRAITS[d] for d in decorators if d in TRAITS}
        traits |= {Trait.TEST} if name.startswith("test") else set()
        parameters, rest = self._parameters(self.field(node, "parameters"))
        kind = SymbolKind.METHOD if self.scope.owner != NOTHING else SymbolKind.FUNCTION
        number, _ = self.function(
            whole,
            name,
            kind,
            parameters,
            self.field(node, "body"),
            rest=rest,
            traits=sorted(traits),
        )
        fact = self.builder.functions[number]
        self.builder.copy(fact.result, self._annotation(self.field(node, "return_type")))
        if traits & {Trait.TEST, Trait.PROVIDER}:
            for parameter, variable in zip(fact.names, fact.parameters, strict=True):
                self.emit(Op.PROVIDED, variable, parameter, fact.symbol, self.line(node))
        return self.function_value(number)

    def _parameters(self, listed: Node | None) -> tuple[list[tuple[str, Variable]], str]:
        parameters: list[tuple[str, Variable]] = []
        rest = ""
        for parameter in list_children(listed):
            named = self.field(parameter, "name") or (parameter.named_children or [parameter])[0]
            if "list_splat_pattern" in (parameter.type, named.type):
                rest = self.text(named).lstrip("*")
            elif named.type == "identifier" and parameter.type != "dictionary_splat_pattern":
                held = self._annotation(self.field(parameter, "type"))
                parameters.append(
                    (
                        self.text(named),
                        self.builder.merge(held, self.field_value(parameter, "value")),
                    )
                )
        return parameters, rest

    def _class(self, node: Node, whole: Node, name: str) -> Variable:
        bases = [self._base(b) for b in self.children(node, "superclasses")]
        number, inner = self.class_(
            whole, name, bases, (Trait.TEST,) if name.startswith("Test") else ()
        )
        body = self.field(node, "body")
        if body is not None:
            outer, self.scope = self.scope, inner
            self.block(body)
            self.scope = outer
        return self.class_value(number)

    def _base(self, node: Node) -> Variable:
        node = self.field(node, "value") or node if node.type == "subscript" else node
        return self.value(node)

    def _annotation(self, node: Node | None) -> Variable:
        """Return instances of the class that an annotation names."""
        inside = first_child(node)
        if (
            inside is None
            or inside.type not in ("identifier", "attribute")
            or self.text(inside) in BUILTINS
        ):
            return NOTHING
        return self.made(Op.INSTANCE, self.value(inside))

    # Names

    def _global(self, node: Node) -> None:
        for name in node.named_children:
            self.scope.outward[self.text(name)] = self.builder.module

    def _identifier(self, node: Node) -> Variable:
        return self.lookup(self.text(node))

    def _attribute(self, node: Node) -> Variable:
        return self.load(self.field_value(node, "object"), self.name(node, "attribute"), node)

    def _assign(self, node: Node) -> Variable:
        value = self.field_value(node, "right")
        if value == NOTHING or self.scope.owner != NOTHING:
            value = self.builder.merge(value, self._annotation(self.field(node, "type")))
        self._store(self.field(node, "left"), value)
        return value

    def _store(self, target: Node | None, value: Variable) -> None:
        if target is None:
            return
        if target.type == "identifier":
            self.bind(self.text(target), value)
        elif target.type == "attribute":
            place = self.field_value(target, "object")
            if place != NOTHING:
                name = self.name(target, "attribute")
                self.emit(Op.STORE, place, name, value, self.scope.symbol, self.line(target))
        elif target.type == "subscript":
            self.nothing(target)
        else:
            for part in target.named_children:
                self._store(part, NOTHING)

    def _loop(self, node: Node) -> None:
        self._store(self.field(node, "left"), NOTHING)
        self.nothing(node)

    def _as(self, node: Node) -> None:
        """Bind the name of `with x as y` or `except X as y` to an unknown value."""
        self.value(node.named_children[0])
        self._store(self.field(node, "alias"), NOTHING)

    # Imports

    def _import(self, node: Node) -> None:
        for part in node.named_children:
            alias = self.name(part, "alias")
            module = self.text(self.field(part, "name") or part)
            top = module if alias else module.partition(".")[0]
            self.emit(Op.IMPORT, self.own_variable(alias or top), top, "", 0, self.line(node))
            if top != module:
                self.emit(Op.IMPORT, self.builder.fresh(), module, "", 0, self.line(node))

    def _import_from(self, node: Node) -> None:
        source, *names = node.named_children
        dotted = "".join(self.text(source).split())
        module = dotted.lstrip(".")
        level = len(dotted) - len(module)
        for part in names:
            if part.type == "wildcard_import":
                self.emit(Op.IMPORT_ALL, module, level)
            elif part.type in ("dotted_name", "aliased_import"):
                name = self.text(self.field(part, "name") or part)
                to = self.own_variable(self.name(part, "alias") or name)
                self.emit(Op.IMPORT, to, module, name, level, self.line(node))

    # Calls

    def _string(self, node: Node) -> Variable:
        self.nothing(node)  # what is called in a text
        return self.text_value(node)

    def _keyword(self, node: Node) -> Variable:
        return self.field_value(node, "value")

    def _call(self, node: Node) -> Variable:
        function = self.field(node, "function")
        if function is None:
            return self.inside(node)
        if function.type == "identifier" and self.text(function) == "super":
            return self._super(node)
        if function.type == "attribute":
            place = self.field_value(function, "object")
            name = self.name(function, "attribute")
            return self.call_method(place, name, self._arguments(node), node)
        name = self.text(function) if function.type == "identifier" else ""
        return self.call(self.value(function), self._arguments(node), node, name)

    def _arguments(self, node: Node) -> list[Argument]:
        listed = self.field(node, "arguments")
        if listed is None or listed.type != "argument_list":
            return [("", self.value(listed))]
        marks = {"list_splat": "*", "dictionary_splat": "**"}
        parts = [part for part in listed.named_children if part.type != "comment"]
        return [
            (self.name(p) if p.type == "keyword_argument" else marks.get(p.type, ""), self.value(p))
            for p in parts
        ]

    def _super(self, node: Node) -> Variable:
        self._arguments(node)
        fact = self.builder.method(self.scope)
        if fact is None or not fact.parameters:
            return NOTHING
        return self.made(Op.SUPER, fact.parameters[0], fact.owner)

    handlers = MappingProxyType(
        {
            "function_definition": _define,
            "class_definition": _define,
            "decorated_definition": _decorated,
            "import_statement": _import,
            "import_from_statement": _import_from,
            "call": _call,
            "attribute": _attribute,
            "identifier": _identifier,
            "assignment": _assign,
            "return_statement": TreeReader.returned,
            "string": _string,
            "for_statement": _loop,
            "for_in_clause": _loop,
            "as_pattern": _as,
            "global_statement": _global,
            "type": TreeReader.skip,
            "type_parameter": TreeReader.skip,
            "future_import_statement": TreeReader.skip,
            "keyword_argument": _keyword,
            **dict.fromkeys(
                """
                    expression_statement block if_statement elif_clause else_clause
                    while_statement try_statement except_clause finally_clause with_statement
                    match_statement case_clause raise_statement assert_statement
                    delete_statement print_statement exec_statement comparison_operator
                    not_operator binary_operator unary_operator subscript slice
                    augmented_assignment list tuple set dictionary pair list_comprehension
                    set_comprehension dictionary_comprehension generator_expression lambda yield
                    list_splat dictionary_splat ERROR
                """.split(),
                TreeReader.nothing,
            ),
        }
    )


def _read_tolerant_docstring(body: Node | None) -> str:
    """Return the text that a module or a body begins with."""
    first = (
        next((c for c in body.named_children if c.type != "comment"), None)
        if body is not None
        else None
    )
    inside = first_child(first)
    if (
        first is None
        or first.type != "expression_statement"
        or inside is None
        or inside.type != "string"
    ):
        return ""
    return " ".join(
        (c.text or b"").decode("utf-8", "replace")
        for c in inside.named_children
        if c.type == "string_content"
    )
