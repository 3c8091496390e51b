"""JSX elements: a component's element calls the component, with its attributes as one object."""

import re
from types import MappingProxyType

from gieok.code.languages.javascript.definitions import FUNCTIONS, JavaScriptDefinitions
from gieok.code.languages.tree import Node, first_child
from gieok.code.model.facts import NOTHING, Argument, Variable

#: Methods that React calls on an object of a component class.
_LIFECYCLE = ("render", "componentDidMount", "componentDidUpdate", "componentWillUnmount")
_IMPORTING = re.compile(rb"\bimport\s*\(")
#: A longer function does more than import.
_LONGEST_IMPORTING = 400


class JavaScriptElements(JavaScriptDefinitions):
    """Reader of JSX, and of the places that name a component without an element of it."""

    def _element(self, node: Node) -> Variable:
        """Read `<Row id={1}>…</Row>`, which calls `Row`, and hands functions on (`onClick`)."""
        head = self.child(node, "jsx_opening_element") or node
        name = self.field(head, "name")
        component = name if name is not None and self._is_component(name) else None
        props = self.builder.container() if component is not None else NOTHING
        handed: list[Argument] = []
        for part in head.named_children:
            if part.type == "jsx_attribute":
                held = self._attribute(part)
                self.store_index(props, self.text(first_child(part)), held, part)
                handed.append(("", held))
            elif part.type == "jsx_expression":
                source = self.first(part)
                if props != NOTHING:
                    self.call_method(props, "update", [("", source)], part)
        for child in node.named_children:
            if child.type not in ("jsx_opening_element", "jsx_closing_element"):
                held = self.value(child)
                self.store_index(props, "children", held, child)
                handed.append(("", held))
        self._hand_on(handed, node)
        if component is not None:
            self._render(self.value(component), [("", props)], component)
        return NOTHING

    def _is_component(self, name: Node) -> bool:
        """Say whether a name is a component's: `Row`, `menu.Item`; `div` is the browser's."""
        last = self.field(name, "property") if name.type == "member_expression" else name
        return name.type == "member_expression" or (
            name.type == "identifier" and self.text(last)[:1].isupper()
        )

    def _render(self, component: Variable, arguments: list[Argument], node: Node) -> None:
        """Call a component; of a class an object is made, and its methods of React's are called."""
        made = self.call(component, arguments, node, self.text(node).rpartition(".")[2])
        for method in _LIFECYCLE:
            self.special(made, method, [], node)

    def _attribute(self, node: Node) -> Variable:
        """Return the value of an attribute."""
        value = node.named_children[1] if len(node.named_children) > 1 else None
        if value is None or value.type == "string":
            return NOTHING
        return self.value(first_child(value) if value.type == "jsx_expression" else value)

    def _hand_on(self, handed: list[Argument], node: Node) -> None:
        """Hand functions to the library that shows elements."""
        if any(value != NOTHING for _, value in handed):
            self.call(self.builder.external("jsx"), handed, node)

    # Components that are named in tables, and imported when they are shown

    def hand_on_row(self, row: Node) -> None:
        """Hand on what a row of a table names: `{ path: "/", component: Home }` in an array.

        Whoever reads the table may call it, show it, or only compare it.
        """
        parts = [self.field(pair, "value") for pair in row.named_children if pair.type == "pair"]
        named = [part for part in parts if part is not None and part.type in _NAMES]
        self._hand_on([("", self.value(part)) for part in named], row)

    def imported_later(self, listed: Node | None, name: str) -> Variable:
        """Return the component that a function imports: `const Page = lazy(() => import("./p"))`.

        That is the module's default, or what the function makes of the module. It is what a call
        with the function gives only where the result is named like a component; what else may
        become of the module is not known.
        """
        parts = listed.named_children if listed is not None else ()
        functions = [part for part in parts if part.type in FUNCTIONS]
        if name[:1].isupper():
            return self.builder.merge(*map(self.import_of, functions))
        for function in functions:
            self.hand_on_imported(function)
        return NOTHING

    def import_of(self, function: Node) -> Variable:
        """Return what a function imports when it runs; nothing where it does not import."""
        number = self.numbers.get(function.start_byte)
        source = self.bytes_of(function)
        if number is None or len(source) > _LONGEST_IMPORTING or not _IMPORTING.search(source):
            return NOTHING
        result = self.builder.functions[number].result
        inside = self.index(result, None, function)  # `{ Component: module.default }`
        return self.builder.merge(result, self.load(result, "default", function), inside)

    def hand_on_imported(self, function: Node) -> None:
        """Hand on what a function imports: `{ component: () => import("./page") }`."""
        imported = self.import_of(function)
        if imported != NOTHING:
            self._hand_on([("", imported)], function)

    handlers = MappingProxyType(
        {
            **JavaScriptDefinitions.handlers,
            "jsx_element": _element,
            "jsx_self_closing_element": _element,
            "jsx_fragment": _element,
        }
    )


_NAMES = frozenset(("identifier", "member_expression"))
