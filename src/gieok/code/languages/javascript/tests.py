"""Tests of JavaScript: a function that a runner gets under a title is a symbol.

The test calls the hooks that run before it.
"""

from collections import defaultdict
from types import MappingProxyType

from gieok.code.languages.javascript.definitions import FUNCTIONS, JavaScriptDefinitions
from gieok.code.languages.tree import Node, name_by_title
from gieok.code.model.facts import NOTHING, SymbolKind, Trait, Variable

_TESTS = frozenset(("it", "test", "specify"))
_SUITES = frozenset(("describe", "suite", "context"))
_HOOKS = frozenset("before beforeAll beforeEach after afterAll afterEach teardown".split())
_WORDS = _TESTS | _SUITES | _HOOKS
_RUNNERS = _TESTS | _SUITES | {"t", "tap", "QUnit", "Deno", "Bun", "mocha"}
_TITLES = ("string", "template_string")


class JavaScriptTests(JavaScriptDefinitions):
    """Reader of calls of test runners: mocha, jest, vitest, tap, ava, QUnit and Node's own."""

    def start(self) -> None:
        """Begin without hooks and titles."""
        super().start()
        #: Function → hooks around the tests inside of it; and how often it has a title.
        self._hooks: dict[int, list[Variable]] = defaultdict(list)
        self._titles: dict[tuple[str, str], int] = defaultdict(int)
        self._is_tested = b"describe" in self.source or b"suite" in self.source
        self._context = NOTHING
        #: Name and traits of the next function without a name, where the function is inside of
        #: `it("title", wrapped(…))`.
        self._awaited: tuple[str, tuple[str, ...]] | None = None

    def is_of_runner(self, callee: Node, listed: Node | None) -> bool:
        """Say whether a call hands a function to a test runner."""
        word = self._word(callee)
        if listed is None or not word or not any(map(_holds_function, listed.named_children)):
            return False
        first = listed.named_children[0]
        if word in _HOOKS:
            return self._is_tested or callee.type == "member_expression"
        return first.type in _TITLES or (
            callee.type == "identifier" and first.type not in FUNCTIONS
        )

    def _word(self, callee: Node) -> str:
        """Return the runner's word in `it`, `test.skip`, `t.test`, `describe.each(table)`, or
        ''.
        """
        if callee.type == "call_expression":
            inner = self.field(callee, "function")
            return (
                self._word(inner) if inner is not None and inner.type == "member_expression" else ""
            )
        names = [self.text(callee)] if callee.type == "identifier" else []
        if callee.type == "member_expression":
            place = self.name(callee, "object").partition(".")[0]
            names = [place, self.name(callee, "property")] if self._is_runner(place) else []
        return next((name for name in names if name in _WORDS), "")

    def _is_runner(self, name: str) -> bool:
        """Return whether a name is a runner's, or the parameter of a test (`t`).

        Other objects may have a method `test` too.
        """
        facts = (self.builder.functions[scope.function] for scope in self.scope.outwards())
        return name in _RUNNERS or any(
            name in fact.names[:2] and not {Trait.TEST, Trait.SUITE}.isdisjoint(fact.traits)
            for fact in facts
        )

    def test(self, callee: Node, listed: Node, node: Node) -> Variable:
        """Read a call of a runner, which makes a symbol.

        `it("does this", () => …)` is a test; `beforeEach(() => …)` is a hook that the tests around
        it call.
        """
        word = self._word(callee)
        if callee.type == "call_expression":
            self.value(callee)
        parts = [part for part in listed.named_children if part.type != "comment"]
        is_function = parts[0].type in FUNCTIONS
        name = self._title(parts[0]) if not is_function and word not in _HOOKS else ""
        traits = (Trait.TEST,) if word in _TESTS else (Trait.SUITE,) if word in _SUITES else ()
        for part in parts if is_function else parts[1:]:
            if part.type not in FUNCTIONS:
                self._awaited = (name or word, traits) if _holds_function(part) else None
                self.call(self.value(part), [], node, word)
                self._awaited = None
                continue
            number = self._add(part, name or word, SymbolKind.FUNCTION, traits)
            self._share_context(number)
            function = self.function_value(number)
            if word in _HOOKS:
                self._hooks[self.scope.function].append(function)
            else:
                self.call(function, [], node, name)
        return NOTHING

    def _function_expression(self, node: Node) -> Variable:
        if self._awaited is None:
            return super()._function_expression(node)
        (name, traits), self._awaited = self._awaited, None
        return self.function_value(self._add(node, name, SymbolKind.FUNCTION, traits))

    def _title(self, node: Node) -> str:
        text = self.text(node)[1:-1] if node.type in _TITLES else self.text(node)
        return self.unique_title(name_by_title(text, separators=r"[\s.:]+"))

    def unique_title(self, title: str) -> str:
        """Return a title, with its number where the scope has had the same title before."""
        place = (self.scope.prefix, title)
        self._titles[place] += 1
        return f"{title} ({self._titles[place]})" if title and self._titles[place] > 1 else title

    def _share_context(self, number: int) -> None:
        """Let hooks and tests of a file share one `this`."""
        fact = self.builder.functions[number]
        if Trait.RECEIVER in fact.traits:
            if self._context == NOTHING:
                self._context = self.builder.container()
            self.builder.copy(fact.parameters[0], self._context)

    def body(self, node: Node) -> None:
        """Read the body of a function; a test's body first calls the hooks around the test."""
        if Trait.TEST in self.current.traits:
            for scope in self.scope.outwards():
                for hook in (
                    self._hooks.get(scope.function, ())
                    if scope.function != self.scope.function
                    else ()
                ):
                    self.call(hook, [], node)
        super().body(node)

    handlers = MappingProxyType(
        {
            **JavaScriptDefinitions.handlers,
            "arrow_function": _function_expression,
            "function_expression": _function_expression,
            "function": _function_expression,
            "generator_function": _function_expression,
        }
    )


def _holds_function(node: Node) -> bool:
    return node.type in FUNCTIONS or (
        node.type == "call_expression"
        and any(
            child.type in FUNCTIONS for part in node.named_children for child in part.named_children
        )
    )
