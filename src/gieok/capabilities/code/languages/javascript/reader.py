"""JavaScript and TypeScript → facts: ES modules and CommonJS, classes and prototypes, object literals, annotations."""

import re
from collections.abc import Sequence
from typing import ClassVar

from gieok.capabilities.code.languages.tree import Node, TreeReader, reading
from gieok.capabilities.code.model.facts import NOTHING, Argument, Kind, Namespace, Op, Trait, Variable

_FUNCTIONS = frozenset(
    """function_declaration generator_function_declaration function_expression generator_function arrow_function
    function method_definition""".split()
)
_CONSTANTS = frozenset(("string", "number", "true", "false", "null", "comment"))
_PLAIN_KEYS = frozenset(("property_identifier", "string", "number"))
_CONSTRUCTOR = re.compile(
    r"\b([A-Za-z_$][\w$]*)\.prototype\b|\binherits\(\s*([A-Za-z_$][\w$]*)|\bnew\s+([A-Za-z_$][\w$]*)"
)
#: Statements inside of which names are declared for the function around.
_BLOCKS = frozenset(
    """export_statement statement_block if_statement else_clause for_statement for_in_statement while_statement
    do_statement try_statement catch_clause finally_clause switch_statement switch_body switch_case switch_default
    labeled_statement""".split()
)
_PATTERNS = frozenset(
    "object_pattern array_pattern pair_pattern assignment_pattern object_assignment_pattern rest_pattern".split()
)
_PUNCTUATION = frozenset(("{", "}", "[", "]", "comment"))
#: Keys that are symbols, by the names they are given: one thing, as a written name is.
_SYMBOL = re.compile(r"(k[A-Z]\w*|sym\w*|\w*[sS]ymbol|Symbol\.\w+)$")
_TESTS = frozenset(("describe", "it", "test", "suite", "context", "specify"))
_GLOBALS = frozenset(
    """console process Object Array String Number Boolean Math JSON Date RegExp Promise Map Set WeakMap WeakSet Symbol Error
    TypeError RangeError Buffer setTimeout setInterval setImmediate queueMicrotask parseInt parseFloat window document global
    globalThis Reflect Proxy Function Intl URL URLSearchParams fetch isNaN encodeURIComponent decodeURIComponent""".split()
)


class _Reader(TreeReader):
    leading = re.compile(rb"\s*(?:export\b\s*)?(?:default|(?:const|let|var)\s+[\w$]+\s*(?::[^=\n]*)?=)?|\s*[\w$.]+\s*=")
    branches: ClassVar[frozenset[str]] = frozenset(
        """if_statement for_statement for_in_statement while_statement do_statement switch_case catch_clause
        ternary_expression""".split()
    )
    handlers: ClassVar[dict[str, str]] = {
        "identifier": "_identifier", "shorthand_property_identifier": "_identifier", "this": "_this", "super": "_super",
        "member_expression": "_member", "subscript_expression": "_subscript", "call_expression": "_call",
        "new_expression": "_new", "assignment_expression": "_assignment", "augmented_assignment_expression": "_augmented",
        "variable_declarator": "_declarator", "function_declaration": "_function_declaration",
        "generator_function_declaration": "_function_declaration", "arrow_function": "_function_expression",
        "function_expression": "_function_expression", "function": "_function_expression",
        "generator_function": "_function_expression", "class_declaration": "_class_declaration", "class": "_class_expression",
        "abstract_class_declaration": "_class_declaration", "interface_declaration": "_interface",
        "type_alias_declaration": "_alias", "enum_declaration": "_alias", "object": "_object", "array": "_array",
        "return_statement": "_return", "yield_expression": "_yield", "for_in_statement": "_for_in",
        "ternary_expression": "conditional", "binary_expression": "_binary", "unary_expression": "nothing",
        "update_expression": "nothing", "string": "text_value", "template_string": "_template", "number": "nothing",
        "regex": "nothing", "import_statement": "_import", "export_statement": "_export", "as_expression": "_cast",
        "satisfies_expression": "first", "non_null_expression": "first", "sequence_expression": "_last",
        "catch_clause": "_catch", "spread_element": "first", "internal_module": "_namespace", "module": "_namespace",
        "type_annotation": "skip", "type_parameters": "skip", "type_arguments": "skip", "predefined_type": "skip",
        "function_signature": "skip", "property_identifier": "skip", "statement_identifier": "skip",
        "expression_statement": "nothing", "import_specifier": "skip",
    }  # fmt: skip

    def start(self) -> None:
        source = self.source.decode("utf-8", "replace")
        #: Functions that are used as classes.
        self.constructors = {a or b or c for a, b, c in _CONSTRUCTOR.findall(source)}
        #: The function that was added last.
        self.newest = NOTHING
        self.exports = self.builder.bind(self.builder.module, "exports")
        if "exports" in source:
            self.builder.copy(self.exports, self.builder.container())

    def declare(self, node: Node) -> None:
        """Bind what the statements of a function declare, those of blocks inside too: it hides what is outside."""
        for child in node.named_children:
            if child.type in ("function_declaration", "generator_function_declaration", "class_declaration"):
                self.builder.bind(self._place(), self.name(child))
            elif child.type in ("lexical_declaration", "variable_declaration"):
                for declarator in child.named_children:
                    self._declare(self.field(declarator, "name"))
            elif child.type in _BLOCKS:
                if child.type == "for_in_statement" and self.field(child, "kind") is not None:
                    self._declare(self.field(child, "left"))
                self.declare(child)

    def _declare(self, target: Node | None) -> None:
        """Bind the names of a pattern here."""
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

    def body(self, node: Node) -> None:
        if node.type == "statement_block":
            self.block(node)
        else:
            self.give(self.value(node))

    def _last(self, node: Node) -> Variable:
        return ([NOTHING] + [self.value(child) for child in node.named_children])[-1]

    # Names

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
        place, key = self.value(self.field(node, "object")), self._key(self.field(node, "index"))
        if place == NOTHING:
            return NOTHING
        if isinstance(key, str):
            return self.load(place, key, node)
        return self.index(place, key, node)

    def _key(self, node: Node | None) -> str | int | None:
        if node is None:
            return None
        text = self.text(node)
        if node.type == "string":
            return text[1:-1]
        if node.type == "number" and text.isdigit():
            return int(text)
        if _SYMBOL.match(text):
            return f"[{text}]"
        self.value(node)
        return None

    # Functions

    def _function_declaration(self, node: Node) -> None:
        name = self.name(node)
        value = self._make(node, name)
        self.bind(name, value)

    def _function_expression(self, node: Node) -> Variable:
        return self._make(node, self.name(node))

    def _make(self, node: Node, name: str, *, kind: str = "", traits: tuple[str, ...] = ()) -> Variable:
        """Add a function; one that is used as a class becomes one, with itself as constructor."""
        if name and node.type not in ("method_definition", "arrow_function") and self._is_constructor(node, name):
            return self._function_class(node, name)
        return self.function_value(self._add(node, name, kind or Kind.FUNCTION, traits))

    def _is_constructor(self, node: Node, name: str) -> bool:
        return name in self.constructors or (name[:1].isupper() and "this." in self.name(node, "body"))

    def _add(self, node: Node, name: str, kind: str, traits: tuple[str, ...] = ()) -> int:
        parameters, patterns, rest = self._parameters(node)
        body = self.field(node, "body")
        if node.type.startswith("generator") or (
            node.type == "method_definition" and any(c.type == "*" for c in node.children)
        ):
            traits = (*traits, Trait.GENERATOR)
        receiver = "" if node.type == "arrow_function" else "this"
        number, inner = self.function(node, name, kind, parameters, body, receiver=receiver, rest=rest, traits=traits)
        outer, self.scope = self.scope, inner
        for pattern, variable in patterns:
            self._declare(pattern)
            self.assign(pattern, inner.names.get(variable, NOTHING))
        self.scope = outer
        returns = self.field(node, "return_type")
        self.builder.copy(self.builder.functions[number].result, self.annotation(returns))
        self.newest = number
        return number

    def _parameters(self, node: Node) -> tuple[list[tuple[str, Variable]], list[tuple[Node, str]], str]:
        """Return (name, annotation) of each place, the patterns to take apart, and the name of `...rest`."""
        single = self.field(node, "parameter")
        listed = self.field(node, "parameters")
        nodes = [single] if single is not None else list(listed.named_children) if listed is not None else []
        found: list[tuple[str, Variable]] = []
        patterns: list[tuple[Node, str]] = []
        rest = ""
        for place, parameter in enumerate(n for n in nodes if n.type != "comment"):
            target: Node | None = parameter
            default: Variable = NOTHING
            annotation = self.annotation(self.field(parameter, "type"))
            if parameter.type in ("required_parameter", "optional_parameter"):
                default = self.value(self.field(parameter, "value"))
                target = self.field(parameter, "pattern")
            elif parameter.type == "assignment_pattern":
                default = self.value(self.field(parameter, "right"))
                target = self.field(parameter, "left")
            if target is None:
                continue
            if target.type == "rest_pattern":
                rest = self.text(target).removeprefix("...")
                continue
            name = self.text(target) if target.type == "identifier" else f"<{place}>"
            if target.type not in ("identifier", "this"):
                patterns.append((target, name))
            found.append((name, self.builder.merge(annotation, default)))
        return found, patterns, rest

    def _function_class(self, node: Node, name: str) -> Variable:
        number, inner = self.class_(node, name, ())
        outer, self.scope = self.scope, inner
        made = self.function_value(self._add(node, "constructor", Kind.METHOD))
        self.bind("__init__", made, inner)
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
        self.builder.copy(self.builder.bind(self.scope, name), self._class(node, name))

    def _class_expression(self, node: Node) -> Variable:
        return self._class(node, self.name(node) or self.builder.lambda_name(self.scope.symbol))

    def _class(self, node: Node, name: str) -> Variable:
        bases = [
            self._base(b) for child in node.named_children if child.type == "class_heritage" for b in _bases(child)
        ]
        number, inner = self.class_(node, name, bases)
        outer, self.scope = self.scope, inner
        for member in self.children(node, "body"):
            self._class_member(member, inner)
        self.scope = outer
        return self.class_value(number)

    def _base(self, node: Node) -> Variable:
        if node.type == "generic_type":
            node = node.named_children[0]
        return self.lookup(self.text(node)) if node.type == "type_identifier" else self.value(node)

    def _class_member(self, member: Node, inner: Namespace) -> None:
        name_node = self.field(member, "name") or self.field(member, "property")
        name = self.text(name_node).strip("\"'")
        if member.type == "method_definition":
            kinds = {child.type for child in member.children}
            traits = tuple(t for word, t in (("static", Trait.CLASS), ("get", Trait.PROPERTY)) if word in kinds)
            made = self.function_value(self._add(member, name, Kind.METHOD, traits))
            self.bind("__init__" if name == "constructor" else name, made, inner)
            if name == "constructor":
                self._parameter_properties(member)
        elif member.type in ("field_definition", "public_field_definition"):
            self._field(member, name, inner)
        elif member.type == "class_static_block":
            self.nothing(member)

    def _field(self, member: Node, name: str, inner: Namespace) -> None:
        value = self.field(member, "value")
        held = self.annotation(self.field(member, "type"))
        if value is not None and value.type in _FUNCTIONS:
            held = self.function_value(self._add(value, name, Kind.METHOD))
        elif value is not None:
            held = self.builder.merge(self.value(value), held)
        self.bind(name, held, inner)

    def _parameter_properties(self, member: Node) -> None:
        """`constructor(private store: Store)` makes a field."""
        for parameter in self.children(member, "parameters"):
            if any(child.type in ("accessibility_modifier", "readonly") for child in parameter.children):
                name = self.name(parameter, "pattern")
                self.builder.copy(self.builder.bind(self.scope, name), self.annotation(self.field(parameter, "type")))

    def _interface(self, node: Node) -> None:
        name = self.name(node)
        bases = [
            self._base(b) for c in node.named_children if c.type == "extends_type_clause" for b in c.named_children
        ]
        number, inner = self.class_(node, name, bases)
        for member in self.children(node, "body"):
            if member.type == "property_signature":
                member_name = self.name(member)
                self.builder.copy(self.builder.bind(inner, member_name), self.annotation(self.field(member, "type")))
        self.builder.copy(self.builder.bind(self.scope, name), self.class_value(number))

    def _alias(self, node: Node) -> None:
        name = self.name(node)
        self.symbol(node, name, Kind.CLASS, (), self.doc(node))

    def _namespace(self, node: Node) -> None:
        body = self.field(node, "body")
        if body is not None:
            self.block(body)

    # Objects

    def _object(self, node: Node) -> Variable:
        if node.named_children and _is_data(node):
            return self.builder.data(self.scope.symbol, self.line(node))
        held = self.builder.container()
        for member in node.named_children:
            key, value, self.newest = "", NOTHING, NOTHING
            if member.type == "pair":
                key = self.name(member, "key").strip("\"'")
                inner = self.field(member, "value")
                if inner is not None and inner.type in _FUNCTIONS:
                    value = self._make(inner, key)
                else:
                    value, self.newest = self._named_value(inner, key) if inner is not None else NOTHING, NOTHING
            elif member.type == "method_definition":
                key = self.name(member).strip("\"'")
                value = self._make(member, key)
            elif member.type == "shorthand_property_identifier":
                key, value = self.text(member), self._identifier(member)
            elif member.type == "spread_element":
                source = self.first(member)
                self.call_method(held, "update", [("", source)], member)
            if self.newest != NOTHING and Trait.RECEIVER in (fact := self.builder.functions[self.newest]).traits:
                self.builder.copy(fact.parameters[0], held)  # `this`
            if key and value != NOTHING:
                key = "*" if key.startswith("[") and not _SYMBOL.match(key[1:-1]) else key
                self.store_index(held, key, value, member)
        return held

    def _array(self, node: Node) -> Variable:
        if node.named_children and _is_data(node):
            return self.builder.data(self.scope.symbol, self.line(node))
        held = self.builder.container()
        for place, member in enumerate(node.named_children):
            is_spread = member.type == "spread_element"
            value = self.element(self.first(member), member) if is_spread else self.value(member)
            if value != NOTHING:
                key: str | int = "*" if is_spread else place
                self.store_index(held, key, value, member)
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
        """Read a value that gets a name: a function without its own bears that."""
        if value.type in _FUNCTIONS and self.field(value, "name") is None and re.fullmatch(r"[\w$]+", name):
            return self._make(value, name)
        if value.type == "class" and self.field(value, "name") is None:
            return self._class(value, name)
        if value.type == "object" and re.fullmatch(r"[\w$]+", name) and name != "exports":
            return self._object_named(value, name)
        return self.value(value)

    def _object_named(self, value: Node, name: str) -> Variable:
        """Read an object that gets a name: its functions are called `name.key`."""
        outer = self.scope
        self.scope = Namespace(outer.outer, outer.symbol, outer.function, f"{outer.prefix}{name}.", outer.owner)
        self.scope.names = outer.names
        held = self._object(value)
        self.scope = outer
        return held

    def _assignment(self, node: Node) -> Variable:
        left, right = self.field(node, "left"), self.field(node, "right")
        if left is None or right is None:
            return NOTHING
        name = self.name(left, "property") if left.type == "member_expression" else self.text(left)
        name = self.name(left, "object") if name == "prototype" else name
        value = self._named_value(right, name)
        self.assign(left, value)
        return value

    def _augmented(self, node: Node) -> Variable:
        value = self.value(self.field(node, "right"))
        left = self.field(node, "left")
        if left is not None:
            self.assign(left, value)
        return value

    def assign(self, target: Node, value: Variable) -> None:
        """Let a value flow into a target or a pattern."""
        kind = target.type
        if kind in ("identifier", "shorthand_property_identifier_pattern", "shorthand_property_identifier"):
            name = self.text(target)
            self.builder.copy(self._binding(name), value)
        elif kind == "member_expression":
            place, name = self.field(target, "object"), self.name(target, "property")
            if name == "exports" and self.text(place) == "module":
                self.builder.copy(self.exports, value)
            elif (held := self.value(place)) != NOTHING and value != NOTHING:
                self.store(held, name, value, target)
        elif kind == "subscript_expression":
            held, key = self.value(self.field(target, "object")), self._key(self.field(target, "index"))
            for at in (key,) if key is not None else (key, "?"):  # `?`: by any name
                self.store_index(held, at, value, target)
        else:
            self._take_apart(target, value)

    def _binding(self, name: str) -> Variable:
        held = self.visible(name)
        return held if held != NOTHING else self.builder.bind(self._place(), name)

    def _take_apart(self, target: Node, value: Variable) -> None:
        """Assign the parts of `{a, b: c, ...rest}` or `[x, y]`."""
        for place, part in _places(target):
            if part.type == "pair_pattern":
                inner, key = self.field(part, "value"), self.name(part, "key")
                if inner is not None:
                    self.assign(inner, self.load(value, key, part))
            elif part.type in ("assignment_pattern", "object_assignment_pattern"):
                left = self.field(part, "left")
                default = self.value(self.field(part, "right"))
                if left is not None:
                    self.assign(left, self.builder.merge(self.load(value, self.text(left), part), default))
            elif part.type == "rest_pattern":
                self.assign(part.named_children[0], value)
            elif part.type in ("shorthand_property_identifier_pattern", "shorthand_property_identifier"):
                self.assign(part, self.load(value, self.text(part), part))
            elif target.type == "array_pattern" and value != NOTHING:
                taken = self.index(value, place, part)
                self.assign(part, taken)

    # Control

    def _for_in(self, node: Node) -> None:
        left = self.field(node, "left")
        held = self.element(self.value(self.field(node, "right")), node)
        if left is not None:
            self.assign(left, held)
        self.value(self.field(node, "body"))

    def _binary(self, node: Node) -> Variable:
        left, right = self.value(self.field(node, "left")), self.value(self.field(node, "right"))
        operator = self.name(node, "operator")
        return self.builder.merge(left, right) if operator in ("||", "&&", "??") else NOTHING

    def _catch(self, node: Node) -> None:
        parameter = self.field(node, "parameter")
        if parameter is not None and parameter.type == "identifier":
            self.builder.bind(self.scope, self.text(parameter))
        self.value(self.field(node, "body"))

    def _cast(self, node: Node) -> Variable:
        kind = node.named_children[1] if len(node.named_children) > 1 else None
        return self.builder.merge(self.first(node), self._type(kind))

    # Calls

    def _call(self, node: Node) -> Variable:
        callee = self.field(node, "function")
        listed = self.field(node, "arguments")
        if callee is None:
            return NOTHING
        kind = callee.type
        if kind == "member_expression":
            return self._method_call(node, callee, listed)
        name = self.text(callee) if kind == "identifier" else ""
        if name == "require" or kind == "import":
            return self._require(node, listed)
        if name in _TESTS and listed is not None:
            return self._test(node, name, listed)
        arguments = self._arguments(listed)
        held = self.value(callee)
        if kind == "super":
            return self.call_method(held, "__init__", arguments, node)
        return self.call(held, arguments, node, name)

    def _method_call(self, node: Node, callee: Node, listed: Node | None) -> Variable:
        place, name = self.field(callee, "object"), self.name(callee, "property")
        arguments = self._arguments(listed)
        if (
            name in ("call", "apply", "bind")
            and place is not None
            and place.type in ("member_expression", "identifier")
        ):
            held = self.value(place)
            if name == "bind":
                return held
            given = arguments[1:] if name == "call" else [("*", value) for _, value in arguments[1:2]]
            this = [("this", value) for _, value in arguments[:1]]
            return self.call(held, [*this, *given], node, self.text(place).rpartition(".")[2])
        held = self.value(place)
        if (
            name in ("inherits", "setPrototypeOf")
            and len(arguments) > 1
            and NOTHING not in (arguments[0][1], arguments[1][1])
        ):
            self.store(arguments[0][1], "prototype", arguments[1][1], node)
        if name in ("create", "assign") and arguments and self.text(place) == "Object":
            return self._object_call(name, arguments, node)
        return self.call_method(held, name, arguments, node)

    def _object_call(self, name: str, arguments: list[Argument], node: Node) -> Variable:
        made = self.builder.container() if name == "create" else arguments[0][1]
        for _, source in arguments[1:] if name == "assign" else ():
            if NOTHING not in (source, made):
                self.call_method(made, "update", [("", source)], node)
        return self.builder.merge(made, arguments[0][1] if name == "create" else NOTHING)

    def _arguments(self, listed: Node | None) -> list[Argument]:
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
        arguments = self._arguments(self.field(node, "arguments"))
        return self.call(self.value(callee), arguments, node, self.text(callee).rpartition(".")[2])

    def _test(self, node: Node, word: str, listed: Node) -> Variable:
        """`it("does this", () => …)` is a test, and a symbol."""
        parts = listed.named_children
        title = self.text(parts[0])[1:-1] if parts and parts[0].type in ("string", "template_string") else ""
        for part in parts[1:]:
            if part.type not in _FUNCTIONS or not title:
                self.value(part)
                continue
            name = re.sub(r"[\s.:]+", " ", title).strip()[:80] or word
            is_suite = word in ("describe", "suite", "context")
            number = self._add(part, name, Kind.FUNCTION, () if is_suite else (Trait.TEST,))
            made = self.function_value(number)
            self.call(made, [], node, name)
        return NOTHING

    # Modules

    def _require(self, node: Node, listed: Node | None) -> Variable:
        name = listed.named_children[0] if listed is not None and listed.named_children else None
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
            self.emit(Op.IMPORT, self.builder.fresh(), source, "", 0, line)
            return
        for part in clause.named_children:
            if part.type == "identifier":
                to = self.builder.bind(self.scope, self.text(part))
                self.emit(Op.IMPORT, to, source, "default", 0, line)
                self.emit(Op.IMPORT, to, source, "exports", 0, line)
            elif part.type == "namespace_import":
                to = self.builder.bind(self.scope, self.text(part.named_children[0]))
                self.emit(Op.IMPORT, to, source, "", 0, line)
            elif part.type == "named_imports":
                for specifier in part.named_children:
                    self._import_name(specifier, source, line)

    def _import_name(self, specifier: Node, source: str, line: int) -> None:
        name = self.name(specifier)
        to = self.builder.bind(self.scope, self.name(specifier, "alias") or name)
        self.emit(Op.IMPORT, to, source, name, 0, line)
        held = self.builder.fresh()
        self.emit(Op.IMPORT, held, source, "exports", 0, line)
        self.emit(Op.LOAD, to, held, name, self.scope.symbol, line)

    def _export(self, node: Node) -> None:
        source = self.name(node, "source")[1:-1]
        declaration, value = self.field(node, "declaration"), self.field(node, "value")
        is_default = any(child.type == "default" for child in node.children)
        line = self.line(node)
        if declaration is not None:
            self.value(declaration)
            if is_default and (name := self.name(declaration)):
                self.builder.copy(self.builder.bind(self.builder.module, "default"), self.lookup(name))
        elif value is not None:
            self.builder.copy(self.builder.bind(self.builder.module, "default"), self._named_value(value, "default"))
        for part in node.named_children:
            if part.type == "export_clause":
                for specifier in part.named_children:
                    self._export_name(specifier, source, line)
            elif part.type == "namespace_export":
                to = self.builder.bind(self.builder.module, self.text(part.named_children[0]))
                self.emit(Op.IMPORT, to, source, "", 0, line)
        if source and any(child.type == "*" for child in node.children):
            self.emit(Op.IMPORT_ALL, source, 0)

    def _export_name(self, specifier: Node, source: str, line: int) -> None:
        name = self.name(specifier)
        alias = self.name(specifier, "alias") or name
        if source:
            self.emit(Op.IMPORT, self.builder.bind(self.builder.module, alias), source, name, 0, line)
        elif alias != name:
            self.builder.copy(self.builder.bind(self.builder.module, alias), self.lookup(name))

    # Types

    def annotation(self, node: Node | None) -> Variable:
        """Return what `: Type` allows."""
        return self._type(node.named_children[0]) if node is not None and node.named_children else NOTHING

    def _type(self, node: Node | None) -> Variable:  # noqa: PLR0911 - one per form of a type
        if node is None:
            return NOTHING
        if node.type == "type_identifier":
            return self.declared(self.lookup(self.text(node)))
        if node.type == "nested_type_identifier":
            parts = self.text(node).split(".")
            held = self.lookup(parts[0])
            for part in parts[1:]:
                held = self.load(held, part, node)
            return self.declared(held)
        if node.type == "union_type":
            return self.builder.merge(*[self._type(child) for child in node.named_children])
        if node.type in ("array_type", "readonly_type", "parenthesized_type"):
            return self._inside_of(node, node.named_children[:1], is_array=node.type == "array_type")
        if node.type == "generic_type":
            return self._generic(node)
        return NOTHING

    def _generic(self, node: Node) -> Variable:
        name = self.text(node.named_children[0])
        inner = node.named_children[-1].named_children
        if name in ("Promise", "Readonly", "Partial", "Required", "NonNullable", "Awaited"):
            return self._inside_of(node, inner[:1], is_array=False)
        if name in ("Array", "ReadonlyArray", "Set", "Iterable", "Map", "Record", "AsyncIterable"):
            return self._inside_of(node, inner[-1:], is_array=True)
        return self._type(node.named_children[0])

    def _inside_of(self, node: Node, types: Sequence[Node], *, is_array: bool) -> Variable:
        held = self.builder.merge(*[self._type(t) for t in types])
        if held == NOTHING or not is_array:
            return held
        made = self.builder.container()
        self.store_index(made, "*", held, node)
        return made


def _is_data(node: Node) -> bool:
    """Say whether a literal holds constants only."""
    kind = node.type
    if kind == "pair":
        key, value = node.named_children[0], node.named_children[-1]
        return key.type in _PLAIN_KEYS and _is_data(value)
    return kind in _CONSTANTS or (kind in ("object", "array") and all(map(_is_data, node.named_children)))


def _places(pattern: Node) -> list[tuple[int, Node]]:
    """Return the parts of a pattern with their places: `[, x]` takes the second."""
    place, found = 0, []
    for child in pattern.children:
        if child.type == ",":
            place += 1
        elif child.type not in _PUNCTUATION:
            found.append((place, child))
    return found


def _bases(heritage: Node) -> list[Node]:
    """Return what a class extends and implements, in both grammars."""
    found: list[Node] = []
    for child in heritage.named_children:
        if child.type == "extends_clause":
            value = child.child_by_field_name("value")
            found += [value] if value is not None else []
        elif child.type == "implements_clause":
            found += child.named_children
        else:
            found.append(child)
    return found


read = reading(_Reader)
