"""Names of JavaScript and types of TypeScript.

For names: their declarations, their meanings and their assignments.
"""

import re
from collections.abc import Sequence
from types import MappingProxyType

from gieok.code.languages.tree import Node, TreeReader
from gieok.code.model.facts import NOTHING, Namespace, Op, Variable

_CONSTRUCTOR = re.compile(
    r"\b([A-Za-z_$][\w$]*)\.prototype\b|\binherits\(\s*([A-Za-z_$][\w$]*)"
    r"|\bnew\s+([A-Za-z_$][\w$]*)"
)
#: What one of these forms holds; most files hold none, and searching for a beginning is fast.
_CONSTRUCTING = tuple(map(re.compile, (r"new\s+[A-Za-z_$]", r"\.prototype", r"inherits\(")))
#: Statements whose declarations belong to the enclosing function.
_BLOCKS = frozenset(
    """
        export_statement statement_block if_statement else_clause for_statement
        for_in_statement while_statement do_statement try_statement catch_clause
        finally_clause switch_statement switch_body switch_case switch_default
        labeled_statement
    """.split()
)
_PATTERNS = frozenset(
    (
        "object_pattern array_pattern pair_pattern assignment_pattern object_assignment_pattern "
        "rest_pattern"
    ).split()
)
_PUNCTUATION = frozenset(("{", "}", "[", "]", "comment"))
#: Symbols used as keys, by their names: each is one key, as a written name is.
SYMBOL = re.compile(r"(k[A-Z]\w*|sym\w*|\w*[sS]ymbol|Symbol\.\w+)$")
_GLOBALS = frozenset(
    """
        console process Object Array String Number Boolean Math JSON Date RegExp Promise Map
        Set WeakMap WeakSet Symbol Error TypeError RangeError Buffer setTimeout setInterval
        setImmediate queueMicrotask parseInt parseFloat window document global globalThis
        Reflect Proxy Function Intl URL URLSearchParams fetch isNaN encodeURIComponent
        decodeURIComponent
    """.split()
)


class JavaScriptNames(TreeReader):
    """Reader of names, members, assignment targets and types."""

    leading = re.compile(
        rb"\s*(?:export\b\s*)?(?:default|(?:const|let|var)\s+[\w$]+\s*(?::[^=\n]*)?=)?"
        rb"|\s*[\w$.]+\s*="
    )

    def start(self) -> None:
        """Find the functions that are used as classes; bind `exports`."""
        source = self.source.decode("utf-8", "replace")
        #: Functions that are used as classes.
        self.constructors: set[str] = set()
        if any(begin.search(source) for begin in _CONSTRUCTING):
            self.constructors = {a or b or c for a, b, c in _CONSTRUCTOR.findall(source)}
        #: The function that was added last.
        self.newest = NOTHING
        #: Type parameters with their bounds, while a signature is read.
        self.generic: dict[str, Variable] = {}
        self.exports = self.module_variable("exports")
        if "exports" in source:
            self.builder.copy(self.exports, self.builder.container())

    def declare(self, node: Node) -> None:
        """Bind the names that a function's statements declare, nested blocks included.

        These names hide names of outer scopes.
        """
        for child in node.named_children:
            if child.type in (
                "function_declaration",
                "generator_function_declaration",
                "class_declaration",
            ):
                self.builder.bind(self._place(), self.name(child))
            elif child.type in ("lexical_declaration", "variable_declaration"):
                for declarator in child.named_children:
                    self._declare(self.field(declarator, "name"))
            elif child.type in _BLOCKS:
                if child.type == "for_in_statement" and self.field(child, "kind") is not None:
                    self._declare(self.field(child, "left"))
                self.declare(child)

    def _declare(self, target: Node | None) -> None:
        """Bind the names of a pattern in the current scope."""
        if target is None:
            return
        if target.type in ("identifier", "shorthand_property_identifier_pattern"):
            self.builder.bind(self._place(), self.text(target))
        elif target.type in _PATTERNS:
            parts = [self.field(target, name) for name in ("value", "left")]
            for part in [p for p in parts if p is not None][:1] or target.named_children:
                self._declare(part)

    def _place(self) -> Namespace:
        return self.scope if self.scope.owner == NOTHING else self.builder.module

    # Meanings

    def _identifier(self, node: Node) -> Variable:
        name = self.text(node)
        if name in ("undefined", "NaN", "arguments"):
            return NOTHING
        if self.visible(name) == NOTHING and (name in _GLOBALS or name == "require"):
            return self.builder.external(name)
        return self.lookup(name)

    def _this(self, node: Node) -> Variable:
        del node
        return self.visible("this")

    def _super(self, node: Node) -> Variable:
        this, method = self._this(node), self.builder.method(self.scope)
        if method is None or this == NOTHING:
            return NOTHING
        return self.made(Op.SUPER, this, method.owner)

    def _member(self, node: Node) -> Variable:
        place, name = self.field(node, "object"), self.name(node, "property")
        if name == "exports" and self.text(place) == "module":
            return self.exports
        return self.load(self.value(place), name, node)

    def _subscript(self, node: Node) -> Variable:
        place, key = self.field_value(node, "object"), self._key(self.field(node, "index"))
        return self.load(place, key, node) if isinstance(key, str) else self.index(place, key, node)

    def _key(self, node: Node | None) -> str | int | None:
        if node is None:
            return None
        text = self.text(node)
        if node.type == "string":
            return text[1:-1]
        if node.type == "number" and text.isdigit():
            return int(text)
        if SYMBOL.match(text):
            return f"[{text}]"
        self.value(node)
        return None

    # Targets

    def assign(self, target: Node | None, value: Variable) -> None:
        """Let a value flow into an assignment target or a pattern."""
        if target is None:
            return
        kind = target.type
        if kind in (
            "identifier",
            "shorthand_property_identifier_pattern",
            "shorthand_property_identifier",
        ):
            name = self.text(target)
            self.builder.copy(self._binding(name), value)
        elif kind == "member_expression":
            place, name = self.field(target, "object"), self.name(target, "property")
            if name == "exports" and self.text(place) == "module":
                self.builder.copy(self.exports, value)
            else:
                self.store(self.value(place), name, value, target)
        elif kind == "subscript_expression":
            held, key = (
                self.field_value(target, "object"),
                self._key(self.field(target, "index")),
            )
            for at in (key,) if key is not None else (key, "?"):  # `?`: by any name
                self.store_index(held, at, value, target)
        else:
            self._take_apart(target, value)

    def _binding(self, name: str) -> Variable:
        held = self.visible(name)
        return held if held != NOTHING else self.builder.bind(self._place(), name)

    def _take_apart(self, target: Node, value: Variable) -> None:
        """Assign the parts of `{a, b: c, ...rest}` or `[x, y]`."""
        for place, part in _enumerate_pattern_parts(target):
            if part.type == "pair_pattern":
                self.assign(
                    self.field(part, "value"), self.load(value, self.name(part, "key"), part)
                )
            elif part.type in ("assignment_pattern", "object_assignment_pattern"):
                left = self.field(part, "left")
                default = self.field_value(part, "right")
                self.assign(
                    left, self.builder.merge(self.load(value, self.text(left), part), default)
                )
            elif part.type == "rest_pattern":
                self.assign(part.named_children[0], value)
            elif part.type in (
                "shorthand_property_identifier_pattern",
                "shorthand_property_identifier",
            ):
                self.assign(part, self.load(value, self.text(part), part))
            elif target.type == "array_pattern" and value != NOTHING:
                self.assign(part, self.index(value, place, part))

    # Types

    def annotation(self, node: Node | None) -> Variable:
        """Return a variable of what `: Type` allows."""
        return (
            self._type(node.named_children[0])
            if node is not None and node.named_children
            else NOTHING
        )

    def _type(self, node: Node | None) -> Variable:  # noqa: PLR0911 - one per form of a type
        if node is None:
            return NOTHING
        if node.type == "type_identifier":
            name = self.text(node)
            return self.declared(self.generic[name] if name in self.generic else self.lookup(name))
        if node.type == "nested_type_identifier":
            parts = self.text(node).split(".")
            held = self.lookup(parts[0])
            for part in parts[1:]:
                held = self.load(held, part, node)
            return self.declared(held)
        if node.type == "union_type":
            return self.builder.merge(*[self._type(child) for child in node.named_children])
        if node.type in ("array_type", "readonly_type", "parenthesized_type"):
            return self._inside_of(
                node, node.named_children[:1], is_array=node.type == "array_type"
            )
        if node.type == "generic_type":
            return self._generic(node)
        return NOTHING

    def _generic(self, node: Node) -> Variable:
        name = self.text(node.named_children[0])
        inner = node.named_children[-1].named_children
        if name in (
            "Promise",
            "Readonly",
            "Partial",
            "Required",
            "NonNullable",
            "Awaited",
            "Pick",
            "Omit",
        ):
            return self._inside_of(node, inner[:1], is_array=False)
        if name in ("Array", "ReadonlyArray", "Set", "Iterable", "Map", "Record", "AsyncIterable"):
            return self._inside_of(node, inner[-1:], is_array=True)
        return self._type(node.named_children[0])

    def _inside_of(self, node: Node, types: Sequence[Node], *, is_array: bool) -> Variable:
        held = self.builder.merge(*[self._type(t) for t in types])
        return self.holding(held, node) if is_array else held

    handlers = MappingProxyType(
        {
            "identifier": _identifier,
            "shorthand_property_identifier": _identifier,
            "this": _this,
            "super": _super,
            "member_expression": _member,
            "subscript_expression": _subscript,
        }
    )


def _enumerate_pattern_parts(pattern: Node) -> list[tuple[int, Node]]:
    """Return the parts of a pattern with their positions: `[, x]` takes the second element."""
    place, parts = 0, []
    for child in pattern.children:
        if child.type == ",":
            place += 1
        elif child.type not in _PUNCTUATION:
            parts.append((place, child))
    return parts
