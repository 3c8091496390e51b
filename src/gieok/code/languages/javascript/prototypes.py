"""Objects of JavaScript that get functions: prototypes, derived objects, and mixins."""

import re

from gieok.code.languages.javascript.definitions import FUNCTIONS, JavaScriptDefinitions
from gieok.code.languages.javascript.names import SYMBOL
from gieok.code.languages.tree import Node
from gieok.code.model.facts import NOTHING, Argument, Op, Trait, Variable

#: Functions that copy members of other objects into an object, by the last part of their name.
_MIXING = frozenset("assign extend mixin merge defaults mergeDescriptors _extend".split())
#: A name bound to an external package: `const mixin = require("merge-descriptors")`. A name is
#: tried from its first sign only, because trying it from each takes time that grows with its
#: square.
_PACKAGE = re.compile(
    r"""(?<![\w$])([\w$]+)\s*=\s*require\(\s*['"](?![./])[^'"]+['"]\s*\)"""
    r"""|import\s+([\w$]+)\s+from\s+['"](?![./])[^'"]+['"]"""
)
_LIBRARIES = frozenset(("Object", "Reflect", "util", "_", "lodash", "$", "jQuery"))
_NAME = re.compile(r"[\w$]+")


class JavaScriptPrototypes(JavaScriptDefinitions):
    """Reader of the ways to make objects from other objects."""

    def start(self) -> None:
        """Find the names that external packages are bound to."""
        super().start()
        self._packages = {
            a or b for a, b in _PACKAGE.findall(self.source.decode("utf-8", "replace"))
        } | _LIBRARIES

    def object_(self, node: Node) -> Variable:
        """Read an object literal."""
        raise NotImplementedError

    def call_arguments(self, listed: Node | None) -> list[Argument]:
        """Read the arguments of a call."""
        raise NotImplementedError

    # Functions that are put on objects

    def member_function(self, left: Node, right: Node) -> Variable:
        """Read `res.send = function …`: the symbol is `res.send`, and `this` inside of it is
        `res`.
        """
        place = self.field(left, "object")
        owner = self._owner(place)
        key = self.name(left, "property") or self.name(left, "index")
        quoted = key[:1] in "\"'`" and key[1:-1]
        is_known = left.type == "member_expression" or SYMBOL.match(key)
        name = quoted or (key if is_known else f"<{key}>")
        if self.text(left) == "module.exports":
            return self.make(right, self.name(right) or "exports")
        name = re.sub(r"[\s.:]+", " ", name)
        outer = self.scope
        self.scope = self.prefixed(owner) if owner else outer
        self.newest = NOTHING
        held = self.make(right, name)
        self.scope = outer
        if not (is_known or quoted) and self.newest != NOTHING:
            fact = self.builder.functions[self.newest]
            self.builder.functions[self.newest] = fact._replace(
                traits=(*fact.traits, Trait.COMPUTED)
            )
        if place is not None and not self.text(place).endswith(".prototype"):
            self._receive(place)
        return held

    def _receive(self, place: Node) -> None:
        fact = self.builder.functions[self.newest] if self.newest != NOTHING else None
        if fact is not None and Trait.RECEIVER in fact.traits and fact.owner == NOTHING:
            self.builder.copy(fact.parameters[0], self.value(place))

    def _owner(self, place: Node | None) -> str:
        """Return the name of the object that gets functions; '' for a module's exports and
        `this`.
        """
        name = self.text(place).removesuffix(".prototype")
        return (
            name
            if _NAME.fullmatch(name)
            and name not in ("exports", "module", "this", "window", "global")
            else ""
        )

    def owner_of(self, target: Node) -> str:
        """Return the name of the object that an assignment gives a member to; else ''."""
        is_member = target.type == "member_expression"
        return self._owner(self.field(target, "object")) if is_member else ""

    def object_named(self, value: Node, name: str) -> Variable:
        """Read an object literal that gets a name: its functions are named `name.key`."""
        outer, self.scope = self.scope, self.prefixed(name)
        held = self.object_(value)
        self.scope = outer
        return held

    # Objects that are made from others

    def is_of_prototypes(self, callee: Node, listed: Node) -> bool:
        """Return whether a call derives an object from others, or copies members of others into
        one.
        """
        if not listed.named_children:
            return False
        if callee.type == "identifier":
            return self.text(callee) in self._packages and self._is_mixing(
                self.text(callee), listed
            )
        place, name = self.name(callee, "object"), self.name(callee, "property")
        if place == "Object":
            return name in ("create", "assign", "setPrototypeOf", "defineProperty")
        return name == "inherits" or (place in self._packages and self._is_mixing(name, listed))

    def _is_mixing(self, name: str, listed: Node) -> bool:
        return (name in _MIXING or name == "inherits") and len(listed.named_children) > 1

    def prototypes(self, name: str, listed: Node, node: Node) -> Variable:
        """Read a call that derives an object or copies members (see `is_of_prototypes`)."""
        parts = [part for part in listed.named_children if part.type != "comment"]
        owner = self._owner(parts[0])
        if name == "defineProperty" and len(parts) > 2:
            return self._define(parts, owner, node)
        held = [self._part(part, owner if place else "") for place, part in enumerate(parts)]
        if name == "create":
            return self._create(held, node)
        if name in ("inherits", "setPrototypeOf") and len(held) > 1:
            self.store(held[0], "prototype", held[1], node)
        for source in held[1:]:
            if NOTHING not in (held[0], source) and name != "inherits":
                self.emit(Op.MIX, held[0], source, self.scope.symbol, self.line(node))
        return held[0]

    def _part(self, part: Node, owner: str) -> Variable:
        return (
            self.object_named(part, owner) if owner and part.type == "object" else self.value(part)
        )

    def _create(self, held: list[Variable], node: Node) -> Variable:
        """Read `Object.create(proto)`: the result has the members of `proto` and its own.

        The result for a class's prototype is an instance of the class.
        """
        result = self.builder.container()
        if held[0] == NOTHING:
            return result
        self.emit(Op.MIX, result, held[0], self.scope.symbol, self.line(node))
        return self.builder.merge(result, self.made_of(held[0], Op.INSTANCE))

    def _define(self, parts: list[Node], owner: str, node: Node) -> Variable:
        """Read `Object.defineProperty(res, "name", { get: function … })`, which defines
        `res.name`.
        """
        target, name = (
            self.value(parts[0]),
            self.text(parts[1])[1:-1] if parts[1].type == "string" else "",
        )
        outer = self.scope
        self.scope = self.prefixed(owner) if owner else outer
        for pair in parts[2].named_children if parts[2].type == "object" and name else ():
            key, value = self.name(pair, "key") or self.name(pair), self.field(pair, "value")
            function = pair if pair.type == "method_definition" else value
            if (
                function is None
                or function.type not in FUNCTIONS
                or key not in ("get", "set", "value")
            ):
                self.value(value)
                continue
            self.newest = NOTHING
            member = self.make(function, name if key != "set" else f"{name} (set)")
            self._receive(parts[0])
            if key == "value":
                self.store(target, name, member, node)
            elif key == "get" and self.newest != NOTHING:
                self.store(target, name, self.builder.functions[self.newest].result, node)
        if parts[2].type != "object" or not name:
            self.value(parts[2])
        self.scope = outer
        return target

    # Members that are copied one by one

    def is_copy(self, left: Node, right: Node) -> bool:
        """Say whether an assignment is `a[k] = b[k]`."""
        kinds = (left.type, right.type) == ("subscript_expression", "subscript_expression")
        key = self.field(left, "index")
        return (
            kinds
            and key is not None
            and key.type == "identifier"
            and self.text(key) == self.name(right, "index")
        )

    def mix(self, target: Node | None, source: Node | None, node: Node) -> Variable:
        """Give an object the members of another object."""
        held, source_value = self.value(target), self.value(source)
        if NOTHING not in (held, source_value):
            self.emit(Op.MIX, held, source_value, self.scope.symbol, self.line(node))
        return self.index(source_value, None, node)
