"""Rust → facts: modules and `use`, impl blocks, traits and those who implement them, fields, declared types."""

from typing import ClassVar

from gieok.capabilities.code.languages.tree import Node, TreeReader, reading
from gieok.capabilities.code.model.facts import NOTHING, Kind, Namespace, Op, Trait, Variable

#: Types that stand for what is inside of them.
_WRAPPERS = frozenset("Box Rc Arc Ref RefMut Option Result Pin Cow RefCell Mutex RwLock MutexGuard Weak".split())
_COLLECTIONS = frozenset("Vec VecDeque HashMap BTreeMap HashSet BTreeSet Iterator IntoIterator LinkedList".split())
#: Methods that give what they are called on, or what is inside of it.
_SAME = frozenset(
    """unwrap expect clone as_ref as_mut borrow borrow_mut lock read write iter iter_mut into_iter unwrap_or_default to_owned
    into deref as_deref ok unwrap_or_else unwrap_or ok_or ok_or_else map_err or_else filter inspect cloned copied take
    as_slice to_vec as_deref_mut peekable into_inner unwrap_unchecked context with_context""".split()
)
#: Methods that call what they are given with what they are called on.
_CALLING = frozenset(
    """map and_then map_or map_or_else filter inspect is_some_and unwrap_or_else map_err or_else ok_or_else then then_with
    with_context get_or_insert_with or_insert_with""".split()
)
#: Macros whose arguments are expressions.
_EXPRESSIONS = frozenset(
    """print println eprint eprintln format write writeln panic assert assert_eq assert_ne debug_assert debug_assert_eq
    debug_assert_ne vec todo unreachable unimplemented dbg format_args info debug warn error trace log bail ensure anyhow
    try join try_join matches""".split()
)


class _Moved:
    """A node of a piece of the file that was parsed apart, at its place in the file."""

    __slots__ = ("_line", "_node", "_offset")

    def __init__(self, node: Node, offset: int, line: int) -> None:
        self._node, self._offset, self._line = node, offset, line

    @property
    def type(self) -> str:
        return self._node.type

    @property
    def start_byte(self) -> int:
        return self._node.start_byte + self._offset

    @property
    def end_byte(self) -> int:
        return self._node.end_byte + self._offset

    @property
    def start_point(self) -> tuple[int, int]:
        return self._node.start_point[0] + self._line, self._node.start_point[1]

    @property
    def end_point(self) -> tuple[int, int]:
        return self._node.end_point[0] + self._line, self._node.end_point[1]

    @property
    def named_children(self) -> list[Node]:
        return [_Moved(child, self._offset, self._line) for child in self._node.named_children]

    @property
    def children(self) -> list[Node]:
        return [_Moved(child, self._offset, self._line) for child in self._node.children]

    @property
    def has_error(self) -> bool:
        return self._node.has_error

    @property
    def text(self) -> bytes | None:
        return self._node.text

    def child_by_field_name(self, name: str, /) -> Node | None:
        child = self._node.child_by_field_name(name)
        return None if child is None else _Moved(child, self._offset, self._line)


class _Reader(TreeReader):
    branches: ClassVar[frozenset[str]] = frozenset(
        "if_expression match_arm while_expression for_expression loop_expression".split()
    )
    handlers: ClassVar[dict[str, str]] = {
        "use_declaration": "_use", "mod_item": "_module", "function_item": "_function", "struct_item": "_struct",
        "enum_item": "_struct", "union_item": "_struct", "trait_item": "_trait", "impl_item": "_impl", "type_item": "_alias",
        "macro_definition": "_macro_definition", "identifier": "_identifier", "self": "_self", "field_expression": "_field",
        "scoped_identifier": "_scoped", "call_expression": "_call", "struct_expression": "_struct_expression",
        "closure_expression": "_closure", "let_declaration": "_let", "assignment_expression": "_assignment",
        "return_expression": "returned", "for_expression": "_for", "macro_invocation": "_macro", "string_literal": "text_value",
        "binary_expression": "nothing", "reference_expression": "_last", "if_expression": "conditional", "block": "_block",
        "let_condition": "_let_condition", "match_expression": "_match", "type_cast_expression": "_cast",
        "index_expression": "_index", "expression_statement": "nothing", "attribute_item": "skip", "type_identifier": "skip",
        "generic_function": "_generic_function", "const_item": "_constant", "static_item": "_constant",
        "array_expression": "_array",
        "generic_type": "skip", "visibility_modifier": "skip", "field_identifier": "skip",
        "tuple_expression": "_tuple",
        "mutable_specifier": "skip", "try_expression": "_last", "await_expression": "_last",
    }  # fmt: skip

    def start(self) -> None:
        self.implementing = NOTHING
        self.is_test = False

    def declare(self, node: Node) -> None:
        if node.type in ("source_file", "declaration_list"):
            for child in node.named_children:
                if (
                    child.type in ("function_item", "struct_item", "enum_item", "trait_item")
                    and self.scope.owner == NOTHING
                ):
                    self.builder.bind(self.builder.module, self.name(child))

    def body(self, node: Node) -> None:
        self.give(self._block(node) if node.type == "block" else self.value(node))

    def _block(self, node: Node) -> Variable:
        """Return what the last expression gives: an `if` or `match` there looks like a statement."""
        last = NOTHING
        for child in node.named_children:
            is_given = child.type == "expression_statement" and not self.text(child).endswith(";")
            last = self.value(child.named_children[0] if is_given and child.named_children else child)
        ending = node.named_children[-1] if node.named_children else None
        is_statement = ending is not None and (ending.type == "let_declaration" or self.text(ending).endswith(";"))
        return NOTHING if is_statement else last

    def _last(self, node: Node) -> Variable:
        return self.value(node.named_children[-1]) if node.named_children else NOTHING

    # Modules

    def _use(self, node: Node) -> None:
        argument = self.field(node, "argument")
        if argument is not None:
            self._use_tree(argument, "", self.line(node))

    def _use_tree(self, node: Node, prefix: str, line: int) -> None:
        joined = f"{prefix}::" if prefix else ""
        if node.type == "scoped_use_list":
            path = joined + self.name(node, "path")
            for child in self.children(node, "list"):
                self._use_tree(child, path, line)
        elif node.type == "use_list":
            for child in node.named_children:
                self._use_tree(child, prefix, line)
        elif node.type == "use_as_clause":
            path = (joined + self.name(node, "path")).removesuffix("::self")
            self._use_name(path, self.name(node, "alias"), line)
        elif node.type == "use_wildcard":
            self.emit(Op.IMPORT_ALL, joined + self.text(node).removesuffix("::*"), 0)
        else:
            path = joined + self.text(node)
            path = path.removesuffix("::self")
            self._use_name(path, path.rpartition("::")[2], line)

    def _use_name(self, path: str, name: str, line: int) -> None:
        module, _, last = path.rpartition("::")
        to = self.builder.bind(self.builder.module, name)
        self.emit(Op.IMPORT, to, module or last, last if module else "", 0, line)

    def _module(self, node: Node) -> None:
        name, body = self.name(node), self.field(node, "body")
        if body is None:
            to = self.builder.bind(self.builder.module, name)
            self.emit(Op.IMPORT, to, f"self::{name}", "", 0, self.line(node))
            return
        to = self.builder.bind(self.builder.module, name)
        self.emit(Op.IMPORT, to, "self", "", 0, self.line(node))  # the file itself
        outer = self.scope
        self.scope = Namespace(outer, outer.symbol, outer.function, f"{outer.prefix}{name}.")
        self.scope.names = outer.names  # one space of names for a file: `use super::*` is nearly always there
        self.block(body)
        self.scope = outer

    # Definitions

    def _function(self, node: Node) -> None:
        name = self.name(node)
        attributes = self._attributes(node)
        traits = (Trait.TEST,) if "test" in attributes else ()
        number = self._add(node, name, Kind.FUNCTION, "", traits)
        self.builder.copy(self.builder.bind(self.scope, name), self.function_value(number))

    def _attributes(self, node: Node) -> str:
        above = self.source[: node.start_byte].rstrip().rsplit(b"\n", 3)[-3:]
        return " ".join(line.strip().decode("utf-8", "replace") for line in above if line.strip().startswith(b"#["))

    def _add(self, node: Node, name: str, kind: str, receiver: str, traits: tuple[str, ...] = ()) -> int:
        parameters: list[tuple[str, Variable]] = []
        patterns: list[tuple[Node, str]] = []
        outer = self.scope
        self.scope = self._generics(node)
        for place, parameter in enumerate(self.children(node, "parameters")):
            pattern = self.field(parameter, "pattern") if parameter.type == "parameter" else parameter
            if parameter.type in ("self_parameter", "attribute_item", "line_comment") or pattern is None:
                continue
            name_of = (
                self.text(pattern).removeprefix("mut ")
                if pattern.type in ("identifier", "mut_pattern")
                else f"<{place}>"
            )
            if name_of.startswith("<"):
                patterns.append((pattern, name_of))
            parameters.append((name_of, self.type(self.field(parameter, "type"))))
        given = self.type(self.field(node, "return_type"))
        body = self.field(node, "body")
        number, inner = self.function(node, name, kind, parameters, body, receiver=receiver, traits=traits)
        if self.implementing != NOTHING:
            inner.names["Self"] = self.implementing
        self.scope = inner
        for pattern, name_of in patterns:
            self.assign(pattern, inner.names[name_of])
        self.scope = outer
        self.builder.copy(self.builder.functions[number].result, given)
        return number

    def _generics(self, node: Node) -> Namespace:
        """Return a scope in which `T` of `fn f<T: Shape>` or `where T: Shape` means Shape."""
        where = [b for c in node.named_children if c.type == "where_clause" for b in c.named_children]
        bounds = [*self.children(node, "type_parameters"), *where]
        outer = self.scope
        if not bounds:
            return outer
        scope = Namespace(outer, outer.symbol, outer.function, outer.prefix, outer.owner)
        for bound in bounds:
            name, traits = self.field(bound, "name") or self.field(bound, "left"), self.field(bound, "bounds")
            if name is None or traits is None:
                continue
            for trait in traits.named_children:
                self.builder.copy(self.builder.bind(scope, self.text(name)), self._named(trait))
        return scope

    def _struct(self, node: Node) -> None:
        name = self.name(node)
        number, inner = self.class_(node, name, ())
        for place, field in enumerate(self.children(node, "body")):
            if field.type == "field_declaration":
                held = self.type(self.field(field, "type"))
                self.bind(self.name(field), held, inner)
            elif field.type == "enum_variant":
                instance = self.declared(self.builder.bind(self.scope, name))
                variant = self.name(field)
                self.bind(variant, instance, inner)
                self._payload(self.field(field, "body"), variant, inner)
            elif node.type == "struct_item" and "type" in field.type:
                self.builder.copy(self.builder.bind(inner, str(place)), self.type(field))
        self.builder.copy(self.builder.bind(self.scope, name), self.class_value(number))

    def _payload(self, body: Node | None, variant: str, inner: Namespace) -> None:
        """What a variant carries is kept under `Variant.0` or `Variant.name` of the enum."""
        for place, field in enumerate(body.named_children if body is not None else ()):
            is_named = field.type == "field_declaration"
            kind = self.type(self.field(field, "type") if is_named else field)
            name = self.name(field) if is_named else str(place)
            self.bind(f"{variant}.{name}", kind, inner)

    def _trait(self, node: Node) -> None:
        name = self.name(node)
        bases = [self._named(b) for b in self.children(node, "bounds")]
        number, inner = self.class_(node, name, bases)
        self.builder.copy(self.builder.bind(self.scope, name), self.class_value(number))
        outer, self.scope, before = self.scope, inner, self.implementing
        self.implementing = self.builder.bind(outer, name)
        for member in self.children(node, "body"):
            if member.type == "function_item":
                self._method(member, inner, NOTHING)
        self.scope, self.implementing = outer, before

    def _impl(self, node: Node) -> None:
        kind, trait = self.field(node, "type"), self.field(node, "trait")
        held, base = self._named(kind), self._named(trait)
        name = self.text(kind).partition("<")[0].rpartition("::")[2].lstrip("&")
        if NOTHING not in (base, held):  # the type has the trait's methods: as if it inherited them
            self.store(held, "prototype", base, node)
        outer, before = self.scope, self.implementing
        self.scope = Namespace(outer, outer.symbol, outer.function, f"{outer.prefix}{name}.")
        self.scope.names = outer.names
        self.implementing = held
        for member in self.children(node, "body"):
            if member.type == "function_item":
                self._method(member, self.scope, held)
        self.scope, self.implementing = outer, before

    def _method(self, member: Node, inner: Namespace, held: Variable) -> None:
        name = self.name(member)
        listed = self.field(member, "parameters")
        has_self = listed is not None and any(c.type == "self_parameter" for c in listed.named_children)
        traits = () if has_self else (Trait.STATIC,)
        number = self._add(member, name, Kind.METHOD, "self" if has_self else "", traits)
        made = self.function_value(number)
        if held == NOTHING:
            self.bind(name, made, inner)
            if has_self:
                self.builder.copy(self.builder.functions[number].parameters[0], self.declared(self.implementing))
        else:
            self.store(held, name, made, member)
            if has_self:
                self.builder.copy(self.builder.functions[number].parameters[0], self.declared(held))

    def _alias(self, node: Node) -> None:
        name = self.name(node)
        self.builder.copy(self.builder.bind(self.scope, name), self._named(self.field(node, "type")))

    def _constant(self, node: Node) -> None:
        value = self.builder.merge(self.value(self.field(node, "value")), self.type(self.field(node, "type")))
        self.bind(self.name(node), value)

    def _macro_definition(self, node: Node) -> None:
        name = self.name(node)
        number, _ = self.function(node, name, Kind.FUNCTION, [], None)
        self.builder.copy(self.builder.bind(self.builder.module, f"{name}!"), self.function_value(number))

    # Types

    def _named(self, node: Node | None) -> Variable:
        """Return what a type's name means."""
        if node is None:
            return NOTHING
        if node.type in ("generic_type", "reference_type", "dynamic_type", "abstract_type", "pointer_type"):
            inner = [
                c for c in node.named_children if c.type not in ("lifetime", "mutable_specifier", "type_arguments")
            ]
            return self._named(inner[0]) if inner else NOTHING
        if node.type == "scoped_type_identifier":
            return self._path(self.text(node).split("::"), node)
        if node.type not in ("type_identifier", "identifier"):
            return NOTHING
        name = self.text(node)
        return self.implementing if name == "Self" and self.implementing != NOTHING else self.lookup(name)

    def type(self, node: Node | None) -> Variable:  # noqa: PLR0911 - one per form of a type
        """Return what a variable of a type may hold."""
        if node is None:
            return NOTHING
        if node.type == "generic_type":
            name = self.name(node, "type")
            arguments = self.field(node, "type_arguments")
            inner = [c for c in arguments.named_children if "lifetime" not in c.type] if arguments is not None else []
            if name in _WRAPPERS and inner:
                return self.type(inner[0])
            if name in _COLLECTIONS and inner:
                return self.holding(self.type(inner[-1]), node)
        if node.type in ("reference_type", "dynamic_type", "abstract_type"):
            return self.type(
                next((c for c in node.named_children if c.type not in ("lifetime", "mutable_specifier")), None)
            )
        if node.type in ("array_type", "slice_type"):
            return self.holding(self.type(self.field(node, "element") or node.named_children[0]), node)
        if node.type == "tuple_type":
            return self.row(node.named_children, self.type)
        return self.declared(self._named(node))

    # Expressions

    def _self(self, node: Node) -> Variable:
        del node
        return self.visible("self")

    def _identifier(self, node: Node) -> Variable:
        return self.lookup(self.text(node))

    def _path(self, parts: list[str], node: Node) -> Variable:
        first = parts[0].partition("<")[0] or parts[0].strip("<>").partition(" as ")[0]
        if first in ("crate", "super", "self") and len(parts) > 1:
            held = self.builder.fresh()
            self.emit(Op.IMPORT, held, "::".join(parts[:-1]), parts[-1], 0, self.line(node))
            return held
        held = self.lookup(first)
        for part in parts[1:]:
            held = self.load(held, part.partition("<")[0], node)
        return held

    def _scoped(self, node: Node) -> Variable:
        return self._path(self.text(node).replace("::<", "<").split("::"), node)

    def _generic_function(self, node: Node) -> Variable:
        return self.value(self.field(node, "function"))

    def _field(self, node: Node) -> Variable:
        return self.load(self.value(self.field(node, "value")), self.name(node, "field"), node)

    def _call(self, node: Node) -> Variable:
        callee, arguments = self.field(node, "function"), self.arguments(self.field(node, "arguments"))
        if callee is not None and callee.type == "generic_function":
            callee = self.field(callee, "function")
        if callee is None:
            return NOTHING
        if callee.type == "field_expression":
            place, name = self.value(self.field(callee, "value")), self.name(callee, "field")
            made = self.call_method(place, name, arguments, node)
            if name in _CALLING:
                made = self.builder.merge(made, *[self.call(held, [("", place)], node) for _, held in arguments])
            return self.builder.merge(made, place) if name in _SAME else made
        if callee.type == "scoped_identifier":
            parts = self.text(callee).split("::")
            if parts[-1] == "new" and parts[-2:-1] and parts[-2].partition("<")[0] in _WRAPPERS and arguments:
                return arguments[0][1]
        name = self.text(callee).rpartition("::")[2]
        if name in ("Some", "Ok", "Err") and arguments:
            return arguments[0][1]
        held = self.value(callee)
        made = self.call(held, arguments, node, name)
        is_variant = name[:1].isupper() and callee.type == "scoped_identifier"
        return self.builder.merge(made, held) if is_variant else made

    def _struct_expression(self, node: Node) -> Variable:
        held = self._named(self.field(node, "name"))
        made = self.declared(held)
        for field in self.children(node, "body"):
            value = self.value(field.named_children[-1]) if field.named_children else NOTHING
            if NOTHING not in (value, made):
                name = self.text(field.named_children[0])
                self.store(made, name, value, field)
        return made

    def _closure(self, node: Node) -> Variable:
        parameters = []
        for place, parameter in enumerate(self.children(node, "parameters")):
            pattern = self.field(parameter, "pattern") or parameter
            name = self.text(pattern) if pattern.type == "identifier" else f"<{place}>"
            parameters.append((name, self.type(self.field(parameter, "type"))))
        number, _ = self.function(node, "", Kind.LAMBDA, parameters, self.field(node, "body"))
        return self.function_value(number)

    def _let(self, node: Node) -> None:
        value = self.builder.merge(self.value(self.field(node, "value")), self.type(self.field(node, "type")))
        pattern = self.field(node, "pattern")
        if pattern is not None:
            self.assign(pattern, value)
        self.value(self.field(node, "alternative"))

    def assign(self, pattern: Node, value: Variable) -> None:
        """Bind the names of a pattern; what is inside of `Some(x)` or a tuple is what they hold."""
        if pattern.type == "identifier":
            self.bind(self.text(pattern), value)
        elif pattern.type == "tuple_pattern":
            for place, child in enumerate(pattern.named_children):
                self.assign(child, self.index(value, place, child))
        elif pattern.type == "tuple_struct_pattern":
            path = self.text(pattern.named_children[0])
            for place, child in enumerate(pattern.named_children[1:]):
                is_same = path in ("Some", "Ok", "Err")
                self.assign(child, value if is_same else self._carried(path, str(place), value, child))
        elif pattern.type == "struct_pattern":
            self._assign_fields(pattern, value)
        elif pattern.type in ("mut_pattern", "ref_pattern", "reference_pattern", "captured_pattern", "match_pattern"):
            for child in pattern.named_children[-1:]:
                self.assign(child, value)

    def _assign_fields(self, pattern: Node, value: Variable) -> None:
        path = self.name(pattern, "type")
        for field in pattern.named_children[1:]:
            inner = self.field(field, "pattern")
            name = self.name(field)
            carried = self._carried(path, name, value, field) if name else NOTHING
            if inner is not None:
                self.assign(inner, carried)
            elif name:
                self.bind(name, carried)

    def _carried(self, path: str, name: str, value: Variable, node: Node) -> Variable:
        """Return what a pattern `Enum::Variant(x)` or `Struct { x }` takes out."""
        owner, _, variant = path.rpartition("::")
        held = self._path(owner.split("::"), node) if owner else NOTHING
        return self.builder.merge(self.load(held, f"{variant}.{name}", node), self.load(value, name, node))

    def _assignment(self, node: Node) -> None:
        left, value = self.field(node, "left"), self.value(self.field(node, "right"))
        if left is not None and left.type == "field_expression" and value != NOTHING:
            place = self.value(self.field(left, "value"))
            self.store(place, self.name(left, "field"), value, node)
        elif left is not None and left.type == "identifier":
            self.builder.copy(self.lookup(self.text(left)), value)

    def _for(self, node: Node) -> None:
        pattern = self.field(node, "pattern")
        held = self.element(self.value(self.field(node, "value")), node)
        if pattern is not None:
            self.assign(pattern, held)
        self.value(self.field(node, "body"))

    def _let_condition(self, node: Node) -> None:
        pattern = self.field(node, "pattern")
        value = self.value(self.field(node, "value"))
        if pattern is not None:
            self.assign(pattern, value)

    def _tuple(self, node: Node) -> Variable:
        return self.row(node.named_children, self.value)

    def _match(self, node: Node) -> Variable:
        value = self.value(self.field(node, "value"))
        given = []
        for arm in self.children(node, "body"):
            pattern = self.field(arm, "pattern")
            if pattern is not None and pattern.named_children:
                self.assign(pattern.named_children[0], value)
            given.append(self.value(self.field(arm, "value")))
        return self.builder.merge(*given)

    def _cast(self, node: Node) -> Variable:
        return self.builder.merge(self.value(self.field(node, "value")), self.type(self.field(node, "type")))

    def _index(self, node: Node) -> Variable:
        held = [self.value(child) for child in node.named_children]
        return self.element(held[0], node) if held else NOTHING

    def _array(self, node: Node) -> Variable:
        return self.holding(self.builder.merge(*[self.value(child) for child in node.named_children]), node)

    def _macro(self, node: Node) -> Variable:
        """A macro of the project is called. The grammar parses no arguments: those of known macros are parsed as a tuple."""
        name = self.name(node, "macro")
        variable = self.builder.module.names.get(f"{name}!")
        if variable is not None:
            self.call(variable, [], node, name)
        tokens = self.child(node, "token_tree")
        if name.rpartition("::")[2] not in _EXPRESSIONS or tokens is None:
            return NOTHING
        piece = b"(" + self.source[tokens.start_byte + 1 : tokens.end_byte - 1] + b")"
        parsed = self.parse(piece)
        moved = _Moved(parsed, tokens.start_byte - parsed.start_byte, tokens.start_point[0])
        held = self.inside(moved)
        if name != "vec":
            return NOTHING
        return self.holding(held, node) if held != NOTHING else self.builder.container()


read = reading(_Reader)
