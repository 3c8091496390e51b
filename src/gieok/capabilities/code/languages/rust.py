"""Rust → facts: modules and `use`, impl blocks, traits and those who implement them, fields, declared types."""

from typing import ClassVar

from gieok.capabilities.code.facts import NOTHING, Argument, Facts, Kind, Op, Scope, Trait, Variable
from gieok.capabilities.code.languages.tree import Node, TreeReader
from gieok.ports import Parser

#: Types that stand for what is inside of them.
_WRAPPERS = frozenset("Box Rc Arc Ref RefMut Option Result Pin Cow RefCell Mutex RwLock MutexGuard Weak".split())
_COLLECTIONS = frozenset("Vec VecDeque HashMap BTreeMap HashSet BTreeSet Iterator IntoIterator LinkedList".split())
#: Methods that give what they are called on, or what is inside of it.
_SAME = frozenset(
    """unwrap expect clone as_ref as_mut borrow borrow_mut lock read write iter iter_mut into_iter unwrap_or_default to_owned
    into deref as_deref ok unwrap_or_else""".split()
)


def read(text: str, language: str, parser: Parser) -> Facts:
    """Return the facts of a file."""
    root = parser.parse(language, text.encode("utf-8", "surrogatepass"))
    return _Reader(language, text, root).read()


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
        "return_expression": "_return", "for_expression": "_for", "macro_invocation": "_macro", "string_literal": "text_value",
        "binary_expression": "nothing", "reference_expression": "_last", "if_expression": "_if", "block": "_block",
        "let_condition": "_let_condition", "match_expression": "_match", "type_cast_expression": "_cast",
        "index_expression": "_index", "expression_statement": "nothing", "attribute_item": "_skip", "type_identifier": "_skip",
        "generic_function": "_generic_function", "const_item": "_constant", "static_item": "_constant",
        "array_expression": "_array",
        "generic_type": "_skip", "visibility_modifier": "_skip", "field_identifier": "_skip", "tuple_expression": "nothing",
        "mutable_specifier": "_skip", "try_expression": "_last", "await_expression": "_last",
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
                    self.builder.bind(self.builder.module, self.text(self.field(child, "name")))

    def body(self, node: Node) -> None:
        self.give(self._block(node) if node.type == "block" else self.value(node))

    def _block(self, node: Node) -> Variable:
        last = NOTHING
        for child in node.named_children:
            last = self.value(child)
        ending = node.named_children[-1].type if node.named_children else ""
        return NOTHING if ending in ("expression_statement", "let_declaration") else last

    def _skip(self, node: Node) -> Variable:
        del node
        return NOTHING

    def _last(self, node: Node) -> Variable:
        return self.value(node.named_children[-1]) if node.named_children else NOTHING

    # Modules

    def _use(self, node: Node) -> Variable:
        argument = self.field(node, "argument")
        if argument is not None:
            self._use_tree(argument, "", self.line(node))
        return NOTHING

    def _use_tree(self, node: Node, prefix: str, line: int) -> None:
        joined = f"{prefix}::" if prefix else ""
        if node.type == "scoped_use_list":
            inner = self.field(node, "list")
            path = joined + self.text(self.field(node, "path"))
            for child in inner.named_children if inner is not None else ():
                self._use_tree(child, path, line)
        elif node.type == "use_list":
            for child in node.named_children:
                self._use_tree(child, prefix, line)
        elif node.type == "use_as_clause":
            self._use_name(joined + self.text(self.field(node, "path")), self.text(self.field(node, "alias")), line)
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

    def _module(self, node: Node) -> Variable:
        name, body = self.text(self.field(node, "name")), self.field(node, "body")
        if body is None:
            to = self.builder.bind(self.builder.module, name)
            self.emit(Op.IMPORT, to, f"self::{name}", "", 0, self.line(node))
            return NOTHING
        outer = self.scope
        self.scope = Scope(outer, outer.symbol, outer.function, f"{outer.prefix}{name}.")
        self.scope.names = outer.names  # one space of names for a file: `use super::*` is nearly always there
        self.block(body)
        self.scope = outer
        return NOTHING

    # Definitions

    def _function(self, node: Node) -> Variable:
        name = self.text(self.field(node, "name"))
        attributes = self._attributes(node)
        traits = (Trait.TEST,) if "test" in attributes else ()
        number = self._add(node, name, Kind.FUNCTION, "", traits)
        self.builder.copy(self.builder.bind(self.scope, name), self.function_value(number))
        return NOTHING

    def _attributes(self, node: Node) -> str:
        above = self.source[: node.start_byte].rstrip().rsplit(b"\n", 3)[-3:]
        return " ".join(line.strip().decode("utf-8", "replace") for line in above if line.strip().startswith(b"#["))

    def _add(
        self, node: Node, name: str, kind: str, receiver: str, traits: tuple[str, ...] = (), *, shown: bool = True
    ) -> int:
        listed = self.field(node, "parameters")
        parameters: list[tuple[str, Variable]] = []
        patterns: list[tuple[Node, str]] = []
        for place, parameter in enumerate(listed.named_children if listed is not None else ()):
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
        number, inner = self.function(
            node, name, kind, parameters, self.field(node, "body"), receiver=receiver, traits=traits, shown=shown
        )
        outer, self.scope = self.scope, inner
        for pattern, name_of in patterns:
            self.assign(pattern, inner.names[name_of])
        self.scope = outer
        self.builder.copy(self.builder.functions[number].result, self.type(self.field(node, "return_type")))
        return number

    def _struct(self, node: Node) -> Variable:
        name = self.text(self.field(node, "name"))
        number, inner = self.class_(node, name, ())
        body = self.field(node, "body")
        for place, field in enumerate(body.named_children if body is not None else ()):
            if field.type == "field_declaration":
                held = self.type(self.field(field, "type"))
                self.builder.copy(self.builder.bind(inner, self.text(self.field(field, "name"))), held)
            elif field.type == "enum_variant":
                instance = self.declared(self.builder.bind(self.scope, name))
                self.builder.copy(self.builder.bind(inner, self.text(self.field(field, "name"))), instance)
            elif node.type == "struct_item" and "type" in field.type:
                self.builder.copy(self.builder.bind(inner, str(place)), self.type(field))
        self.builder.copy(self.builder.bind(self.scope, name), self.class_value(number))
        return NOTHING

    def _trait(self, node: Node) -> Variable:
        name = self.text(self.field(node, "name"))
        bounds = self.field(node, "bounds")
        bases = [self._named(b) for b in bounds.named_children] if bounds is not None else []
        number, inner = self.class_(node, name, bases)
        self.builder.copy(self.builder.bind(self.scope, name), self.class_value(number))
        outer, self.scope, before = self.scope, inner, self.implementing
        self.implementing = self.builder.bind(outer, name)
        body = self.field(node, "body")
        for member in body.named_children if body is not None else ():
            if member.type == "function_item":
                self._method(member, inner, NOTHING)
        self.scope, self.implementing = outer, before
        return NOTHING

    def _impl(self, node: Node) -> Variable:
        kind, trait = self.field(node, "type"), self.field(node, "trait")
        held, base = self._named(kind), self._named(trait)
        name = self.text(kind).partition("<")[0].rpartition("::")[2].lstrip("&")
        if NOTHING not in (base, held):  # the type has the trait's methods: as if it inherited them
            self.emit(Op.STORE, held, "prototype", base, self.scope.symbol, self.line(node))
        outer, before = self.scope, self.implementing
        self.scope = Scope(outer, outer.symbol, outer.function, f"{outer.prefix}{name}.")
        self.scope.names = outer.names
        self.implementing = held
        body = self.field(node, "body")
        for member in body.named_children if body is not None else ():
            if member.type == "function_item":
                self._method(member, self.scope, held)
        self.scope, self.implementing = outer, before
        return NOTHING

    def _method(self, member: Node, inner: Scope, held: Variable) -> None:
        name = self.text(self.field(member, "name"))
        listed = self.field(member, "parameters")
        has_self = listed is not None and any(c.type == "self_parameter" for c in listed.named_children)
        traits = () if has_self else (Trait.STATIC,)
        number = self._add(member, name, Kind.METHOD, "self" if has_self else "", traits)
        made = self.function_value(number)
        if held == NOTHING:
            self.builder.copy(self.builder.bind(inner, name), made)
        else:
            self.emit(Op.STORE, held, name, made, self.scope.symbol, self.line(member))
            if has_self:
                self.builder.copy(self.builder.functions[number].parameters[0], self.declared(held))

    def _alias(self, node: Node) -> Variable:
        name = self.text(self.field(node, "name"))
        self.builder.copy(self.builder.bind(self.scope, name), self._named(self.field(node, "type")))
        return NOTHING

    def _constant(self, node: Node) -> Variable:
        value = self.builder.merge(self.value(self.field(node, "value")), self.type(self.field(node, "type")))
        self.builder.copy(self.builder.bind(self.scope, self.text(self.field(node, "name"))), value)
        return NOTHING

    def _macro_definition(self, node: Node) -> Variable:
        name = self.text(self.field(node, "name"))
        number, _ = self.function(node, name, Kind.FUNCTION, [], None)
        self.builder.copy(self.builder.bind(self.builder.module, f"{name}!"), self.function_value(number))
        return NOTHING

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
        return self.implementing if name == "Self" else self.lookup(name)

    def type(self, node: Node | None) -> Variable:  # noqa: PLR0911 - one per form of a type
        """Return what a variable of a type may hold."""
        if node is None:
            return NOTHING
        if node.type == "generic_type":
            name = self.text(self.field(node, "type"))
            arguments = self.field(node, "type_arguments")
            inner = [c for c in arguments.named_children if "lifetime" not in c.type] if arguments is not None else []
            if name in _WRAPPERS and inner:
                return self.type(inner[0])
            if name in _COLLECTIONS and inner:
                return self._holding(self.type(inner[-1]), node)
        if node.type in ("reference_type", "dynamic_type", "abstract_type"):
            return self.type(
                next((c for c in node.named_children if c.type not in ("lifetime", "mutable_specifier")), None)
            )
        if node.type in ("array_type", "slice_type"):
            return self._holding(self.type(self.field(node, "element") or node.named_children[0]), node)
        if node.type == "tuple_type":
            return self._tuple(node)
        return self.declared(self._named(node))

    def _tuple(self, node: Node) -> Variable:
        held = self.builder.container()
        for place, child in enumerate(node.named_children):
            if (value := self.type(child)) != NOTHING:
                self.emit(Op.STORE_INDEX, held, place, value, self.scope.symbol, self.line(node))
        return held

    def _holding(self, inner: Variable, node: Node) -> Variable:
        if inner == NOTHING:
            return NOTHING
        held = self.builder.container()
        self.emit(Op.STORE_INDEX, held, "*", inner, self.scope.symbol, self.line(node))
        return held

    # Expressions

    def _identifier(self, node: Node) -> Variable:
        return self.lookup(self.text(node))

    def _self(self, node: Node) -> Variable:
        del node
        scope: Scope | None = self.scope
        while scope is not None:
            if "self" in scope.names:
                return scope.names["self"]
            scope = scope.outer
        return NOTHING

    def _path(self, parts: list[str], node: Node) -> Variable:
        first = parts[0].partition("<")[0]
        if first == "Self":
            held = self.implementing
        elif first in ("crate", "super", "self") and len(parts) > 1:
            held = self.builder.fresh()
            self.emit(Op.IMPORT, held, "::".join(parts[:-1]), parts[-1], 0, self.line(node))
            return held
        else:
            held = self.lookup(first)
        for part in parts[1:]:
            held = self.load(held, part.partition("<")[0], node)
        return held

    def _scoped(self, node: Node) -> Variable:
        return self._path(self.text(node).replace("::<", "<").split("::"), node)

    def _generic_function(self, node: Node) -> Variable:
        return self.value(self.field(node, "function"))

    def _field(self, node: Node) -> Variable:
        return self.load(self.value(self.field(node, "value")), self.text(self.field(node, "field")), node)

    def _call(self, node: Node) -> Variable:
        callee, listed = self.field(node, "function"), self.field(node, "arguments")
        arguments: list[Argument] = [("", self.value(a)) for a in listed.named_children] if listed is not None else []
        if callee is not None and callee.type == "generic_function":
            callee = self.field(callee, "function")
        if callee is None:
            return NOTHING
        if callee.type == "field_expression":
            place, name = self.value(self.field(callee, "value")), self.text(self.field(callee, "field"))
            made = self.call_method(place, name, arguments, node)
            return self.builder.merge(made, place) if name in _SAME else made
        if callee.type == "scoped_identifier":
            parts = self.text(callee).split("::")
            if parts[-1] == "new" and parts[-2:-1] and parts[-2].partition("<")[0] in _WRAPPERS and arguments:
                return arguments[0][1]
        name = self.text(callee).rpartition("::")[2]
        if name in ("Some", "Ok", "Err") and arguments:
            return arguments[0][1]
        return self.call(self.value(callee), arguments, node, name)

    def _struct_expression(self, node: Node) -> Variable:
        held = self._named(self.field(node, "name"))
        made = self.declared(held)
        body = self.field(node, "body")
        for field in body.named_children if body is not None else ():
            value = self.value(field.named_children[-1]) if field.named_children else NOTHING
            if NOTHING not in (value, made):
                name = self.text(field.named_children[0])
                self.emit(Op.STORE, made, name, value, self.scope.symbol, self.line(field))
        return made

    def _closure(self, node: Node) -> Variable:
        listed = self.field(node, "parameters")
        parameters = []
        for place, parameter in enumerate(listed.named_children if listed is not None else ()):
            pattern = self.field(parameter, "pattern") or parameter
            name = self.text(pattern) if pattern.type == "identifier" else f"<{place}>"
            parameters.append((name, self.type(self.field(parameter, "type"))))
        number, _ = self.function(node, "", Kind.LAMBDA, parameters, self.field(node, "body"), shown=False)
        return self.function_value(number)

    def _let(self, node: Node) -> Variable:
        value = self.builder.merge(self.value(self.field(node, "value")), self.type(self.field(node, "type")))
        pattern = self.field(node, "pattern")
        if pattern is not None:
            self.assign(pattern, value)
        self.value(self.field(node, "alternative"))
        return NOTHING

    def assign(self, pattern: Node, value: Variable) -> None:
        """Bind the names of a pattern; what is inside of `Some(x)` or a tuple is what they hold."""
        if pattern.type == "identifier":
            self.builder.copy(self.builder.bind(self.scope, self.text(pattern)), value)
        elif pattern.type == "tuple_pattern":
            for place, child in enumerate(pattern.named_children):
                taken = NOTHING
                if value != NOTHING:
                    taken = self.builder.fresh()
                    self.emit(Op.INDEX, taken, value, place, self.scope.symbol, self.line(child))
                self.assign(child, taken)
        elif pattern.type == "tuple_struct_pattern":
            for child in pattern.named_children[1:]:
                self.assign(child, value)
        elif pattern.type in ("mut_pattern", "ref_pattern", "reference_pattern", "captured_pattern", "match_pattern"):
            for child in pattern.named_children[-1:]:
                self.assign(child, value)

    def _assignment(self, node: Node) -> Variable:
        left, value = self.field(node, "left"), self.value(self.field(node, "right"))
        if left is not None and left.type == "field_expression" and value != NOTHING:
            place = self.value(self.field(left, "value"))
            if place != NOTHING:
                self.emit(
                    Op.STORE, place, self.text(self.field(left, "field")), value, self.scope.symbol, self.line(node)
                )
        elif left is not None and left.type == "identifier":
            self.builder.copy(self.lookup(self.text(left)), value)
        return NOTHING

    def _return(self, node: Node) -> Variable:
        for child in node.named_children:
            self.give(self.value(child))
        return NOTHING

    def _for(self, node: Node) -> Variable:
        pattern = self.field(node, "pattern")
        held = self.element(self.value(self.field(node, "value")), node)
        if pattern is not None:
            self.assign(pattern, held)
        self.value(self.field(node, "body"))
        return NOTHING

    def _if(self, node: Node) -> Variable:
        self.value(self.field(node, "condition"))
        return self.builder.merge(
            self.value(self.field(node, "consequence")), self.value(self.field(node, "alternative"))
        )

    def _let_condition(self, node: Node) -> Variable:
        pattern = self.field(node, "pattern")
        value = self.value(self.field(node, "value"))
        if pattern is not None:
            self.assign(pattern, value)
        return NOTHING

    def _match(self, node: Node) -> Variable:
        value = self.value(self.field(node, "value"))
        body = self.field(node, "body")
        given = []
        for arm in body.named_children if body is not None else ():
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
        return self._holding(self.builder.merge(*[self.value(child) for child in node.named_children]), node)

    def _macro(self, node: Node) -> Variable:
        """A macro of the project is called; what stands inside of any other is not parsed by the grammar."""
        name = self.text(self.field(node, "macro"))
        variable = self.builder.module.names.get(f"{name}!")
        if variable is not None:
            self.call(variable, [], node, name)
        if name == "vec":
            return self.builder.container()
        return NOTHING
