"""Read JavaScript and TypeScript into facts.

Facts cover ES modules and CommonJS, classes and prototypes, object literals, and annotations.
"""

import re
from types import MappingProxyType

from gieok.code.languages.javascript.bindings import JavaScriptBindings, is_call
from gieok.code.languages.javascript.definitions import FUNCTIONS
from gieok.code.languages.javascript.elements import JavaScriptElements
from gieok.code.languages.javascript.names import SYMBOL
from gieok.code.languages.javascript.prototypes import JavaScriptPrototypes
from gieok.code.languages.javascript.types import TypeScript
from gieok.code.languages.tree import Node, TreeReader, first_child
from gieok.code.model.facts import NOTHING, Argument, Op, Trait, Variable

_CONSTANTS = frozenset(("string", "number", "true", "false", "null", "comment"))
_LITERALS = FUNCTIONS | {"object", "class"}
_PLAIN_KEYS = frozenset(("property_identifier", "string", "number"))


class JavaScriptReader(JavaScriptPrototypes, JavaScriptBindings, JavaScriptElements, TypeScript):
    """Reader of JavaScript and TypeScript."""

    branches = frozenset(
        """
            if_statement for_statement for_in_statement while_statement do_statement
            switch_case catch_clause ternary_expression
        """.split()
    )

    def _last(self, node: Node) -> Variable:
        return ([NOTHING] + [self.value(child) for child in node.named_children])[-1]

    # Objects

    def object_(self, node: Node) -> Variable:
        """Return the value of an object literal."""
        if node.named_children and _is_javascript_data(node):
            return self.builder.data(self.scope.symbol, self.line(node))
        held = self.builder.container()
        for member in node.named_children:
            key, value, self.newest = "", NOTHING, NOTHING
            if member.type == "pair":
                key = self.name(member, "key").strip("\"'")
                inner = self.field(member, "value")
                if inner is not None and inner.type in FUNCTIONS:
                    value = self.make(inner, key)
                    self.hand_on_imported(inner)
                else:
                    value, self.newest = (
                        self._named_value(inner, key) if inner is not None else NOTHING,
                        NOTHING,
                    )
            elif member.type == "method_definition":
                key = self.name(member).strip("\"'")
                value = self.make(member, key)
            elif member.type == "shorthand_property_identifier":
                key, value = self.text(member), self._identifier(member)
            elif member.type == "spread_element":
                source = self.first(member)
                self.call_method(held, "update", [("", source)], member)
            if (
                self.newest != NOTHING
                and Trait.RECEIVER in (fact := self.builder.functions[self.newest]).traits
            ):
                self.builder.copy(fact.parameters[0], held)  # `this`
            if key:
                key = "*" if key.startswith("[") and not SYMBOL.match(key[1:-1]) else key
                self.store_index(held, key, value, member)
        return held

    def _array(self, node: Node) -> Variable:
        if node.named_children and _is_javascript_data(node):
            return self.builder.data(self.scope.symbol, self.line(node))
        held = self.builder.container()
        for place, member in enumerate(node.named_children):
            is_spread = member.type == "spread_element"
            value = self.element(self.first(member), member) if is_spread else self.value(member)
            self.store_index(held, "*" if is_spread else place, value, member)
            if member.type == "object":
                self.hand_on_row(member)
        return held

    def _template(self, node: Node) -> Variable:
        self.nothing(node)
        return self.text_value(node)

    # Assignments

    def _declarator(self, node: Node) -> None:
        target, value = self.field(node, "name"), self.field(node, "value")
        if target is None:
            return
        held = self.annotation(self.field(node, "type"))
        if value is not None:
            held = self.builder.merge(self._named_value(value, self.text(target)), held)
        self.assign(target, held)

    def _named_value(self, value: Node, name: str) -> Variable:
        """Read a value that is bound to a name; a function without its own name gets this name."""
        if (
            value.type in ("satisfies_expression", "as_expression")
            and value.named_children[0].type in _LITERALS
        ):
            value = value.named_children[0]
        if (
            value.type in FUNCTIONS
            and self.field(value, "name") is None
            and re.fullmatch(r"[\w$]+", name)
        ):
            return self.make(value, name)
        if value.type == "class" and self.field(value, "name") is None:
            return self._class(value, name)
        if value.type == "object" and re.fullmatch(r"[\w$]+", name) and name != "exports":
            return self.object_named(value, name)
        return self.bound_value(value, name)

    def _assignment(self, node: Node) -> Variable:
        left, right = self.field(node, "left"), self.field(node, "right")
        if left is None or right is None:
            return NOTHING
        if right.type in FUNCTIONS and left.type in ("member_expression", "subscript_expression"):
            value = self.member_function(left, right)
        elif self.is_copy(left, right):
            return self.mix(self.field(left, "object"), self.field(right, "object"), node)
        else:
            name = (
                self.name(left, "property") if left.type == "member_expression" else self.text(left)
            )
            outer, owner = self.scope, self.owner_of(left) if is_call(right) else ""
            self.scope = self.prefixed(owner) if owner else outer
            value = self._named_value(
                right, self.name(left, "object") if name == "prototype" else name
            )
            self.scope = outer
        self.assign(left, value)
        return value

    def _augmented(self, node: Node) -> Variable:
        value = self.field_value(node, "right")
        self.assign(self.field(node, "left"), value)
        return value

    # Control

    def _for_in(self, node: Node) -> None:
        held = self.element(self.field_value(node, "right"), node)
        self.assign(self.field(node, "left"), held)
        self.field_value(node, "body")

    def _binary(self, node: Node) -> Variable:
        left, right = self.field_value(node, "left"), self.field_value(node, "right")
        operator = self.name(node, "operator")
        return self.builder.merge(left, right) if operator in ("||", "&&", "??") else NOTHING

    def _catch(self, node: Node) -> None:
        parameter = self.field(node, "parameter")
        if parameter is not None and parameter.type == "identifier":
            self.own_variable(self.text(parameter))
        self.field_value(node, "body")

    def _cast(self, node: Node) -> Variable:
        kind = node.named_children[1] if len(node.named_children) > 1 else None
        return self.builder.merge(self.first(node), self._type(kind))

    # Calls

    def _call(self, node: Node) -> Variable:
        callee = self.field(node, "function")
        listed = self.field(node, "arguments")
        if callee is None:
            return NOTHING
        if node.end_byte in self.links:
            return self.links.pop(node.end_byte)
        kind = callee.type
        if listed is not None and self.is_of_runner(callee, listed):
            return self.test(callee, listed, node)
        if listed is not None and self.is_of_prototypes(callee, listed):
            return self.prototypes(self.name(callee, "property") or self.text(callee), listed, node)
        if kind == "member_expression":
            return self._method_call(node, callee, listed)
        name = self.text(callee) if kind == "identifier" else ""
        return self._plain_call(node, callee, listed, name)

    def _plain_call(self, node: Node, callee: Node, listed: Node | None, name: str) -> Variable:
        kind = callee.type
        if name == "require" or kind == "import":
            return self._require(node, listed)
        arguments = self.call_arguments(listed)
        held = self.value(callee)
        if kind == "super":
            return self.call_method(held, "__init__", arguments, node)
        result = self.call(held, arguments, node, name)
        if self.is_binding:
            self.wrap(result, held, listed, arguments)
        return self.builder.merge(result, self.imported_later(listed, self.bound_name))

    def _method_call(self, node: Node, callee: Node, listed: Node | None) -> Variable:
        place, name = self.field(callee, "object"), self.name(callee, "property")
        arguments = self.call_arguments(listed)
        if (
            name in ("call", "apply", "bind")
            and place is not None
            and place.type in ("member_expression", "identifier")
        ):
            held = self.value(place)
            if name == "bind":
                return held
            rest = (
                arguments[1:] if name == "call" else [("*", value) for _, value in arguments[1:2]]
            )
            this = [("this", value) for _, value in arguments[:1]]
            return self.call(held, [*this, *rest], node, self.text(place).rpartition(".")[2])
        held = self.value(place)
        if name == "then" and arguments and place is not None and self._is_import(place):
            return self.call(arguments[0][1], [("", held)], node)
        result = self.call_method(held, name, arguments, node)
        if self.is_binding and held != NOTHING:
            self.wrap(result, self.load(held, name, node), listed, arguments)
        return self.builder.merge(result, self.imported_later(listed, self.bound_name))

    def _is_import(self, node: Node) -> bool:
        callee = self.field(node, "function")
        return callee is not None and callee.type == "import"

    def call_arguments(self, listed: Node | None) -> list[Argument]:
        """Return the arguments of a call, from their list or from a template."""
        if listed is None:
            return []
        if listed.type == "template_string":
            return [("", self.value(listed))]
        return [
            ("*" if a.type == "spread_element" else "", self.value(a))
            for a in listed.named_children
            if a.type != "comment"
        ]

    def _new(self, node: Node) -> Variable:
        callee = self.field(node, "constructor")
        arguments = self.call_arguments(self.field(node, "arguments"))
        return self.call(self.value(callee), arguments, node, self.text(callee).rpartition(".")[2])

    # Modules

    def _require(self, node: Node, listed: Node | None) -> Variable:
        name = first_child(listed)
        if name is None or name.type != "string":
            return NOTHING
        value = self.builder.fresh()
        path = self.text(name)[1:-1]
        self.emit(Op.IMPORT, value, path, "exports", 0, self.line(node))
        self.emit(Op.IMPORT, value, path, "", 0, self.line(node))
        return value

    def _import(self, node: Node) -> None:
        source = self.name(node, "source")[1:-1]
        line = self.line(node)
        clause = self.child(node, "import_clause")
        if clause is None:
            required = self.child(node, "import_require_clause")
            if required is not None:
                self.import_required(required)
            else:
                self.emit(Op.IMPORT, self.builder.fresh(), source, "", 0, line)
            return
        for part in clause.named_children:
            if part.type == "identifier":
                to = self.own_variable(self.text(part))
                self.emit(Op.IMPORT, to, source, "default", 0, line)
                self.emit(Op.IMPORT, to, source, "exports", 0, line)
            elif part.type == "namespace_import":
                to = self.own_variable(self.text(part.named_children[0]))
                self.emit(Op.IMPORT, to, source, "", 0, line)
            elif part.type == "named_imports":
                for specifier in part.named_children:
                    self._import_name(specifier, source, line)

    def _import_name(self, specifier: Node, source: str, line: int) -> None:
        name = self.name(specifier)
        to = self.own_variable(self.name(specifier, "alias") or name)
        self.emit(Op.IMPORT, to, source, name, 0, line)
        held = self.builder.fresh()
        self.emit(Op.IMPORT, held, source, "exports", 0, line)
        self.emit(Op.LOAD, to, held, name, self.scope.symbol, line)

    def _export(self, node: Node) -> None:
        source = self.name(node, "source")[1:-1]
        declaration, value = self.field(node, "declaration"), self.field(node, "value")
        is_default = any(child.type == "default" for child in node.children)
        line = self.line(node)
        self._decorators(node)
        if any(child.type == "=" for child in node.children):
            self.export_assigned(node)
        if declaration is not None:
            self.value(declaration)
            if is_default and (name := self.name(declaration)):
                self.builder.copy(self.module_variable("default"), self.lookup(name))
        elif value is not None:
            self.builder.copy(
                self.module_variable("default"),
                self._named_value(value, "default"),
            )
        for part in node.named_children:
            if part.type == "export_clause":
                for specifier in part.named_children:
                    self._export_name(specifier, source, line)
            elif part.type == "namespace_export":
                to = self.module_variable(self.text(part.named_children[0]))
                self.emit(Op.IMPORT, to, source, "", 0, line)
        if source and any(child.type == "*" for child in node.children):
            self.emit(Op.IMPORT_ALL, source, 0)

    def _export_name(self, specifier: Node, source: str, line: int) -> None:
        name = self.name(specifier)
        alias = self.name(specifier, "alias") or name
        if source:
            self.emit(Op.IMPORT, self.module_variable(alias), source, name, 0, line)
        elif alias != name:
            self.builder.copy(self.module_variable(alias), self.lookup(name))

    handlers = MappingProxyType(
        {
            **TypeScript.handlers,
            **JavaScriptElements.handlers,
            **JavaScriptBindings.handlers,
            "call_expression": _call,
            "new_expression": _new,
            "assignment_expression": _assignment,
            "augmented_assignment_expression": _augmented,
            "variable_declarator": _declarator,
            "decorator": TreeReader.skip,
            "object": object_,
            "array": _array,
            "for_in_statement": _for_in,
            "ternary_expression": TreeReader.conditional,
            "binary_expression": _binary,
            "unary_expression": TreeReader.nothing,
            "update_expression": TreeReader.nothing,
            "string": TreeReader.text_value,
            "template_string": _template,
            "number": TreeReader.nothing,
            "regex": TreeReader.nothing,
            "import_statement": _import,
            "export_statement": _export,
            "as_expression": _cast,
            "satisfies_expression": TreeReader.first,
            "non_null_expression": TreeReader.first,
            "sequence_expression": _last,
            "catch_clause": _catch,
            "spread_element": TreeReader.first,
            "type_annotation": TreeReader.skip,
            "type_parameters": TreeReader.skip,
            "type_arguments": TreeReader.skip,
            "predefined_type": TreeReader.skip,
            "function_signature": TreeReader.skip,
            "property_identifier": TreeReader.skip,
            "statement_identifier": TreeReader.skip,
            "import_specifier": TreeReader.skip,
        }
    )


def _is_javascript_data(node: Node) -> bool:
    """Return whether a literal holds constants only."""
    kind = node.type
    if kind == "pair":
        key, value = node.named_children[0], node.named_children[-1]
        return key.type in _PLAIN_KEYS and _is_javascript_data(value)
    return kind in _CONSTANTS or (
        kind in ("object", "array") and all(map(_is_javascript_data, node.named_children))
    )
