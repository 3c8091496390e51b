"""Read Rust into facts.

Facts cover modules and `use`, impl blocks, traits and their implementors, fields, and declared
types.
"""

from collections.abc import Iterator
from functools import partial
from types import MappingProxyType

from gieok.code.languages.rust.definitions import WRAPPERS, RustDefinitions
from gieok.code.languages.tree import Node, TreeReader
from gieok.code.model.facts import NOTHING, SymbolKind, Variable

#: Methods that return their receiver, or the value inside of the receiver.
_SAME = frozenset(
    """
        unwrap expect clone as_ref as_mut borrow borrow_mut lock read write iter iter_mut
        into_iter unwrap_or_default to_owned into deref as_deref ok unwrap_or_else unwrap_or
        ok_or ok_or_else map_err or_else filter inspect cloned copied take as_slice to_vec
        as_deref_mut peekable into_inner unwrap_unchecked context with_context
    """.split()
)
#: Methods that call their argument with their receiver.
_CALLING = frozenset(
    """
        map and_then map_or map_or_else filter inspect is_some_and unwrap_or_else map_err
        or_else ok_or_else then then_with with_context get_or_insert_with or_insert_with
    """.split()
)
#: Macros whose arguments are expressions.
_EXPRESSIONS = frozenset(
    """
        print println eprint eprintln format write writeln panic assert assert_eq assert_ne
        debug_assert debug_assert_eq debug_assert_ne vec todo unreachable unimplemented dbg
        format_args info debug warn error trace log bail ensure anyhow try join try_join
        matches
    """.split()
)


def _iter_called_names(tokens: Node) -> Iterator[Node]:
    """Yield the names in a macro's tokens that stand before parentheses: `f(…)`, `x.f(…)`."""
    before: Node | None = None
    last: Node | None = None
    for token in tokens.children:
        if token.type == "token_tree":
            is_defined = before is not None and before.type in ("fn", "struct", "enum")
            is_called = token.children[0].type == "(" and not is_defined
            if is_called and last is not None and last.type == "identifier":
                yield last
            yield from _iter_called_names(token)
        before, last = last, token


class RustReader(RustDefinitions):
    """Reader of Rust."""

    branches = frozenset(
        "if_expression match_arm while_expression for_expression loop_expression".split()
    )

    def body(self, node: Node) -> None:
        """Read the body of a function or a closure: its last value is returned."""
        self.give(self._block(node) if node.type == "block" else self.value(node))

    def _block_apart(self, node: Node) -> Variable:
        return self.apart(lambda: self._block(node))

    def _if(self, node: Node) -> Variable:
        return self.apart(lambda: self.conditional(node))

    def _while(self, node: Node) -> Variable:
        return self.apart(lambda: self.inside(node))

    def _block(self, node: Node) -> Variable:
        """Return the value of a block's last expression.

        An `if` or `match` in the last place looks like a statement.
        """
        last = NOTHING
        # An item holds in its whole block, also before it.
        for child in node.named_children:
            if child.type == "use_declaration":
                self.value(child)
        for child in node.named_children:
            if child.type == "use_declaration":
                continue
            is_given = child.type == "expression_statement" and not self.text(child).endswith(";")
            last = self.value(
                child.named_children[0] if is_given and child.named_children else child
            )
        ending = node.named_children[-1] if node.named_children else None
        is_statement = ending is not None and (
            ending.type == "let_declaration" or self.text(ending).endswith(";")
        )
        return NOTHING if is_statement else last

    def _self(self, node: Node) -> Variable:
        del node
        return self.visible("self")

    # Expressions

    def _identifier(self, node: Node) -> Variable:
        return self.lookup(self.text(node))

    def _scoped(self, node: Node) -> Variable:
        return self._path(self.text(node).replace("::<", "<").split("::"), node)

    def _generic_function(self, node: Node) -> Variable:
        return self.field_value(node, "function")

    def _field(self, node: Node) -> Variable:
        return self.load(self.field_value(node, "value"), self.name(node, "field"), node)

    def _call(self, node: Node) -> Variable:
        callee, arguments = (
            self.field(node, "function"),
            self.arguments(self.field(node, "arguments")),
        )
        if callee is not None and callee.type == "generic_function":
            callee = self.field(callee, "function")
        if callee is None:
            return NOTHING
        if callee.type == "field_expression":
            place, name = self.field_value(callee, "value"), self.name(callee, "field")
            result = self.call_method(place, name, arguments, node)
            if name in _CALLING:
                result = self.builder.merge(
                    result, *[self.call(held, [("", place)], node) for _, held in arguments]
                )
            return self.builder.merge(result, place) if name in _SAME else result
        if callee.type == "scoped_identifier":
            parts = self.text(callee).split("::")
            if (
                parts[-1] == "new"
                and parts[-2:-1]
                and parts[-2].partition("<")[0] in WRAPPERS
                and arguments
            ):
                return arguments[0][1]
        name = self.text(callee).rpartition("::")[2]
        if name in ("Some", "Ok", "Err") and arguments:
            return arguments[0][1]
        held = self.value(callee)
        result = self.call(held, arguments, node, name)
        is_variant = name[:1].isupper() and callee.type == "scoped_identifier"
        return self.builder.merge(result, held) if is_variant else result

    def _struct_expression(self, node: Node) -> Variable:
        held = self._named(self.field(node, "name"))
        instance = self.declared(held)
        for field in self.children(node, "body"):
            if field.named_children:
                self.store(
                    instance,
                    self.text(field.named_children[0]),
                    self.value(field.named_children[-1]),
                    field,
                )
        return instance

    def _closure(self, node: Node) -> Variable:
        parameters = []
        for place, parameter in enumerate(self.children(node, "parameters")):
            pattern = self.field(parameter, "pattern") or parameter
            name = self.text(pattern) if pattern.type == "identifier" else f"<{place}>"
            parameters.append((name, self.declared_type(parameter)))
        number, _ = self.function(node, "", SymbolKind.LAMBDA, parameters, self.field(node, "body"))
        return self.function_value(number)

    def _let(self, node: Node) -> None:
        value = self.builder.merge(self.field_value(node, "value"), self.declared_type(node))
        self.assign(self.field(node, "pattern"), value)
        self.field_value(node, "alternative")

    def _assignment(self, node: Node) -> None:
        left, value = self.field(node, "left"), self.field_value(node, "right")
        if left is not None and left.type == "field_expression" and value != NOTHING:
            self.store(self.field_value(left, "value"), self.name(left, "field"), value, node)
        elif left is not None and left.type == "identifier":
            self.builder.copy(self.lookup(self.text(left)), value)

    def _for(self, node: Node) -> None:
        held = self.element(self.field_value(node, "value"), node)
        self.apart(lambda: self._loop(node, held))

    def _loop(self, node: Node, held: Variable) -> Variable:
        self.assign(self.field(node, "pattern"), held)
        return self.field_value(node, "body")

    def _let_condition(self, node: Node) -> None:
        self.assign(self.field(node, "pattern"), self.field_value(node, "value"))

    def _tuple(self, node: Node) -> Variable:
        return self.row(node.named_children, self.value)

    def _match(self, node: Node) -> Variable:
        value = self.field_value(node, "value")
        results = [
            self.apart(partial(self._arm, arm, value)) for arm in self.children(node, "body")
        ]
        return self.builder.merge(*results)

    def _arm(self, arm: Node, value: Variable) -> Variable:
        pattern = self.field(arm, "pattern")
        if pattern is not None and pattern.named_children:
            self.assign(pattern.named_children[0], value)
        return self.field_value(arm, "value")

    def _cast(self, node: Node) -> Variable:
        return self.builder.merge(self.field_value(node, "value"), self.declared_type(node))

    def _index(self, node: Node) -> Variable:
        held = [self.value(child) for child in node.named_children]
        return self.element(held[0], node) if held else NOTHING

    def _array(self, node: Node) -> Variable:
        return self.holding(
            self.builder.merge(*[self.value(child) for child in node.named_children]), node
        )

    def _macro(self, node: Node) -> Variable:
        """Read a macro: a macro of the project is called.

        The grammar parses no arguments of macros: those of known macros are parsed as a tuple. Of
        others, what looks like a call counts as one, by its name alone.
        """
        name = self.name(node, "macro")
        variable = self.builder.module.names.get(f"{name}!")
        if variable is not None:
            self.call(variable, [], node, name)
        tokens = self.child(node, "token_tree")
        if tokens is None:
            return NOTHING
        if name.rpartition("::")[2] not in _EXPRESSIONS:
            for called in _iter_called_names(tokens):
                self.call_method(NOTHING, self.text(called), (), called)
            return NOTHING
        piece = b"(" + self.bytes_of(tokens)[1:-1] + b")"
        held = self.inside_apart(self.parse(piece), tokens)
        if name != "vec":
            return NOTHING
        return self.holding(held, node) if held != NOTHING else self.builder.container()

    handlers = MappingProxyType(
        {
            **RustDefinitions.handlers,
            "identifier": _identifier,
            "self": _self,
            "field_expression": _field,
            "scoped_identifier": _scoped,
            "call_expression": _call,
            "struct_expression": _struct_expression,
            "closure_expression": _closure,
            "let_declaration": _let,
            "assignment_expression": _assignment,
            "return_expression": TreeReader.returned,
            "for_expression": _for,
            "macro_invocation": _macro,
            "string_literal": TreeReader.text_value,
            "binary_expression": TreeReader.nothing,
            "reference_expression": TreeReader.last,
            "if_expression": _if,
            "block": _block_apart,
            "while_expression": _while,
            "let_condition": _let_condition,
            "match_expression": _match,
            "type_cast_expression": _cast,
            "index_expression": _index,
            "expression_statement": TreeReader.nothing,
            "attribute_item": TreeReader.skip,
            "type_identifier": TreeReader.skip,
            "generic_function": _generic_function,
            "array_expression": _array,
            "generic_type": TreeReader.skip,
            "visibility_modifier": TreeReader.skip,
            "field_identifier": TreeReader.skip,
            "tuple_expression": _tuple,
            "mutable_specifier": TreeReader.skip,
            "try_expression": TreeReader.last,
            "await_expression": TreeReader.last,
        }
    )
