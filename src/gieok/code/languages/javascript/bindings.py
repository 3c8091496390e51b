"""Functions inside of calls: `export const GET = withAuth(async (request) => …)`.

The name that the call's result is bound to is a symbol over all of the call; the functions without
a name in it are its body, and the wrapper is what it calls. No wrapper is known by its name.
"""

import re
from collections.abc import Sequence
from types import MappingProxyType

from gieok.code.languages.javascript.definitions import FUNCTIONS
from gieok.code.languages.javascript.tests import JavaScriptTests
from gieok.code.languages.tree import Node, first_child, name_by_title
from gieok.code.model.facts import NOTHING, Argument, FunctionFact, Op, SymbolKind, Trait, Variable

_AROUND = frozenset(
    """
        parenthesized_expression as_expression satisfies_expression non_null_expression
        await_expression
    """.split()
)
_CALLS = frozenset(("call_expression", "new_expression"))
_INSIDE = _AROUND | _CALLS | {"arguments", "object", "pair", "array", "member_expression"}
#: Arguments that may be what the result of a wrapper stands for.
_WRAPPED = FUNCTIONS | _CALLS | {"class", "identifier", "member_expression"}
_ROOTS = frozenset(("identifier", "this", "member_expression"))
_CHAIN_ROOTS = _ROOTS | {"new_expression"}
_DEEPEST = 12
_LONGEST_CHAIN = 200
_TITLE = ("string", "template_string")
#: Names that a module gives to what it exports; a function's own name says more.
_UNTOLD = ("default", "exports")


class JavaScriptBindings(JavaScriptTests):
    """Reader of calls that get functions, and whose result has a name."""

    def start(self) -> None:
        """Begin outside of any binding."""
        super().start()
        #: Name that the result of the call that is being read is bound to; '' for none.
        self.bound_name = ""
        #: Offset of the end of a link of a chain → the value of the link, which was read.
        self.links: dict[int, Variable] = {}

    def bound_value(self, value: Node, name: str, kind: str = SymbolKind.FUNCTION) -> Variable:
        """Return the value of an expression that is bound to a name."""
        call = _strip_around(value)
        if call.type not in _CALLS:
            return self.value(value)
        before, self.bound_name = self.bound_name, name
        is_symbol = (
            re.fullmatch(r"[\w$]+", name)
            and _holds_literal(call)
            and self._is_kept(value, call)
            and not self._is_special(call)
        )
        held = self._symbol_of_call(call, name, kind) if is_symbol else self.value(value)
        self.bound_name = before
        return held

    def _is_kept(self, value: Node, call: Node) -> bool:
        """Say whether the result of a call is likely a function or an object of functions.

        Of what a module binds it is. Inside of a function, calls with functions mostly compute
        something at once (`users.map(…)`, `await inTransaction(…)`): there the callee must be a
        plain name or a library's (`useCallback`, `React.useCallback`).
        """
        if self.scope.function == 0:
            return True
        callee = self.field(call, "function")
        if callee is None or value.type == "await_expression":
            return False
        return callee.type == "identifier" or (
            callee.type == "member_expression" and self.text(callee)[:1].isupper()
        )

    def _is_special(self, call: Node) -> bool:
        callee, listed = self.field(call, "function"), self.field(call, "arguments")
        if callee is None or listed is None:
            return call.type != "new_expression"
        return self.is_of_runner(callee, listed) or self.is_of_prototypes(callee, listed)

    def is_of_prototypes(self, callee: Node, listed: Node) -> bool:
        """Say whether a call derives an object from others."""
        raise NotImplementedError

    def _symbol_of_call(
        self, call: Node, name: str, kind: str, begin: Node | None = None
    ) -> Variable:
        """Read a call as the body of a symbol, and return the function that stands for it.

        The symbol begins at a node, or where the call does.
        """
        literals = _list_literals(call)
        own = next((found for node in literals if (found := self.name(node))), "")
        symbol = self.symbol(
            call, own if name in _UNTOLD and own else name, kind, (Trait.WRAPPED,), self.doc(call)
        )
        if begin is not None:
            fact = self.builder.symbols[symbol]
            self.builder.symbols[symbol] = fact._replace(start=self.line(begin))
        outer = self.scope
        self.scope = self.prefixed(self.builder.symbols[symbol].name)
        self.scope.symbol = symbol
        self.bound.add(symbol)
        self.unnamed.update(node.start_byte for node in literals)
        held = self.value(call)
        self.scope = outer
        function = FunctionFact(
            symbol=symbol,
            owner=outer.owner,
            names=(),
            parameters=(),
            keyword_only={},
            rest=self.builder.fresh(),
            keywords=NOTHING,
            result=self.builder.fresh(),
            yields=self.builder.fresh(),
        )
        self.builder.functions.append(function)
        if held != NOTHING:
            rest = [("*", function.rest)]
            self.builder.inner.append(
                (Op.CALL, function.result, held, rest, symbol, self.line(call), "")
            )
        number = len(self.builder.functions) - 1
        return self.builder.merge(self.function_value(number), held)

    def wrap(
        self, result: Variable, callee: Variable, listed: Node | None, arguments: list[Argument]
    ) -> None:
        """Let a wrapper from outside of the project give back the function that it gets."""
        parts = [
            part for part in (listed.named_children if listed else ()) if part.type != "comment"
        ]
        for part, (_, held) in zip(parts, arguments, strict=False):
            if part.type in _WRAPPED and NOTHING not in (result, callee, held):
                self.emit(Op.WRAP, result, callee, held)

    @property
    def is_binding(self) -> bool:
        """Say whether the result of the call that is being read is bound to a name."""
        return bool(self.bound_name)

    # Calls under a title

    def _statement(self, node: Node) -> None:
        """Read a statement; `app.get("/users", (request) => …)` is a symbol, named by its title.

        Each link of a chain that gets a function is one: `app.route("/x").get(…).post(…)`.
        """
        expression = first_child(node)
        call = _strip_around(expression) if expression is not None else None
        if call is None or call.type != "call_expression":
            return self.nothing(node)
        chain, root = self._list_chain(call)
        titled = [(chain[at], self._find_title(chain[at:])) for at in reversed(range(len(chain)))]
        links = [(link, title) for link, title in titled if title and self._is_titled(link)]
        if not links or root.type not in _CHAIN_ROOTS:
            return self.nothing(node)
        for link, title in links:
            callee = self.field(link, "function") or link
            word = self.name(callee, "property") or self.text(root)
            place = re.sub(r"[^\w$.]+", "", self.name(root, "object"))
            outer = self.scope
            self.scope = self.prefixed(place) if place else outer
            name = self.unique_title(name_by_title(title, word))
            begin = self.field(callee, "property") if len(links) > 1 else None
            function = self._symbol_of_call(link, name, SymbolKind.FUNCTION, begin)
            self.scope = outer
            self.links[link.end_byte] = function
            self.call(function, [], node)
        return None if links[-1][0] is call else self.nothing(node)

    def _is_titled(self, call: Node) -> bool:
        """Say whether a call hands a function to an object, outside of tests."""
        callee = self.field(call, "function")
        facts = (self.builder.functions[scope.function] for scope in self.scope.outwards())
        return (
            callee is not None
            and (self.scope.function == 0 or callee.type == "member_expression")
            and _holds_literal(self.field(call, "arguments"))
            and not self._is_special(call)
            and all(
                {Trait.TEST, Trait.SUITE, Trait.TESTING}.isdisjoint(fact.traits) for fact in facts
            )
        )

    def _list_chain(self, call: Node) -> tuple[list[Node], Node]:
        """Return the calls of a chain, the last one first, and what the first one calls.

        That is `app.route` of `app.route("/x").get(…)`, or where the chain begins with something
        else than a name, the expression.
        """
        chain: list[Node] = []
        node = call
        while node.type == "call_expression" and len(chain) < _LONGEST_CHAIN:
            chain.append(node)
            callee = self.field(node, "function")
            if callee is None:
                return chain, node
            inner = self.field(callee, "object")
            if inner is None and callee.type != "call_expression":
                return chain, callee
            if inner is not None and inner.type in _ROOTS:
                return chain, callee
            node = inner or callee
        return chain, node

    def _find_title(self, chain: Sequence[Node]) -> str:
        """Return the title of the first of these calls of a chain, or ''.

        Its own title counts first, then the first one behind the function before:
        `command("a").description("A").action(…)`.
        """
        title = ""
        for call in chain:
            listed = self.field(call, "arguments")
            if title and call is not chain[0] and _holds_literal(listed):
                break
            first = first_child(listed)
            if first is not None and first.type in _TITLE:
                title = self.text(first)[1:-1]
                if call is chain[0]:
                    break
        return title

    handlers = MappingProxyType({**JavaScriptTests.handlers, "expression_statement": _statement})


def is_call(node: Node) -> bool:
    """Say whether an expression is a call, also inside of parentheses, casts or `await`."""
    return _strip_around(node).type in _CALLS


def _strip_around(node: Node) -> Node:
    """Return the expression inside of parentheses, casts and `await`."""
    while node.type in _AROUND and node.named_children:
        node = node.named_children[0]
    return node


def _holds_literal(node: Node | None, depth: int = 0) -> bool:
    """Say whether a call gets a function that is written there, also inside of objects."""
    if node is None or depth > _DEEPEST:
        return False
    if node.type in FUNCTIONS:
        return True
    return node.type in _INSIDE and any(
        _holds_literal(child, depth + 1) for child in node.named_children
    )


def _list_literals(node: Node, depth: int = 0) -> list[Node]:
    """Return the functions that are written as arguments of a call and of the calls in it."""
    if depth > _DEEPEST:
        return []
    if node.type in FUNCTIONS:
        return [node]
    if node.type in ("object", "pair") or node.type not in _INSIDE:
        return []
    return [found for child in node.named_children for found in _list_literals(child, depth + 1)]
