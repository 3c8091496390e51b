"""Definitions of Rust: modules, functions, types, traits, implementations; and patterns."""

import re
from collections.abc import Callable, Sequence
from types import MappingProxyType

from gieok.code.languages.tree import Node, TreeReader, list_children
from gieok.code.model.facts import NOTHING, Namespace, Op, SymbolKind, Trait, Variable

#: Types that stand for the type inside of them.
WRAPPERS = frozenset(
    "Box Rc Arc Ref RefMut Option Result Pin Cow RefCell Mutex RwLock MutexGuard Weak".split()
)
_COLLECTIONS = frozenset(
    "Vec VecDeque HashMap BTreeMap HashSet BTreeSet Iterator IntoIterator LinkedList".split()
)
#: Key of a glob `use` among the names of a scope: no identifier begins so.
_GLOB = "*::"
#: Node types inside a reference or a generic type that are not the type.
_BESIDE_TYPE = ("lifetime", "mutable_specifier", "type_arguments")
#: Attributes of a test (`#[tokio::test]`), and of code that is built for tests only.
_TEST = re.compile(
    r"#\[\s*(?:\w+::)*(?:test|bench|rstest|test_case|quickcheck|wasm_bindgen_test)\b"
)
_FOR_TESTS = re.compile(r"#\[\s*cfg\s*\((?:\s*(?:all|any)\s*\()?[^)]*?(?<!not\()\btest\b")


class RustDefinitions(TreeReader):
    """Reader of definitions, types and patterns."""

    def start(self) -> None:
        """Begin outside of any `impl` block."""
        self.implementing = NOTHING
        self.is_for_tests = False
        #: Variables of names that `let` and patterns bind inside of functions.
        self._let_bound = set[Variable]()
        #: Path and line of each glob `use` inside of a function, by the variable that stands for it.
        self._globs = dict[Variable, tuple[str, int]]()

    def declare(self, node: Node) -> None:
        """Bind the functions and types of a module."""
        if node.type in ("source_file", "declaration_list") and self.scope.owner == NOTHING:
            for child in node.named_children:
                if child.type in ("function_item", "struct_item", "enum_item", "trait_item"):
                    self.module_variable(self.name(child))

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
            path = joined + self.text(node).removesuffix("::*")
            if self.scope.function:
                self._bind_all(path, line)
            else:
                self.emit(Op.IMPORT_ALL, path, 0)
        else:
            path = (joined + self.text(node)).removesuffix("::self")
            self._use_name(path, path.rpartition("::")[2], line)

    def _use_name(self, path: str, name: str, line: int) -> None:
        module, _, last = path.rpartition("::")
        to = self._bind_import(name)
        self.emit(Op.IMPORT, to, module or last, last if module else "", 0, line)

    def _bind_import(self, name: str) -> Variable:
        """Return the variable of a name that a `use` binds, in the function around it or the file.

        In a function it is the head of paths even where a value has its name, before or after.
        """
        if not self.scope.function:
            return self.module_variable(name)
        names, held = self.scope.names, self.builder.fresh()
        names[f"{name}::"] = held
        if not self._is_value(self.scope, names.get(name, NOTHING)):
            names[name] = held
        return held

    def _bind_all(self, path: str, line: int) -> None:
        """Let names of a function's block that are bound nowhere in it be those of a module."""
        glob = self.builder.fresh()
        self.scope.names[f"{_GLOB}{path}"] = glob
        self._globs[glob] = path, line

    def lookup(self, name: str) -> Variable:
        """Return the variable of a name; a glob `use` of a block comes before the names around."""
        if not self._globs:
            return super().lookup(name)
        return self._merge_globs(name, self.find_binding(name), super().lookup(name))

    def _merge_globs(self, name: str, until: Namespace | None, held: Variable) -> Variable:
        """Return `held` merged with what globs import as `name`, of scopes inside of `until`."""
        if not self._globs:
            return held
        imported = []
        for scope in self.scope.outwards():
            if scope is until:
                break
            for glob in [scope.names[key] for key in scope.names if key.startswith(_GLOB)]:
                path, line = self._globs[glob]
                imported.append(self.builder.fresh())
                self.emit(Op.IMPORT, imported[-1], path, name, 0, line)
        return self.builder.merge(held, *imported) if imported else held

    def _module(self, node: Node) -> None:
        name, body = self.name(node), self.field(node, "body")
        to = self.module_variable(name)
        self.emit(
            Op.IMPORT, to, "self" if body is not None else f"self::{name}", "", 0, self.line(node)
        )
        if body is None:  # else it is in the file itself
            return
        outer, before = self.scope, self.is_for_tests
        self.scope = Namespace(outer, outer.symbol, outer.function, f"{outer.prefix}{name}.")
        # one namespace per file: `use super::*` is nearly always there
        self.scope.names = outer.names
        self.is_for_tests = before or bool(_FOR_TESTS.search(self._attributes(node)))
        self.block(body)
        self.scope, self.is_for_tests = outer, before

    def symbol(
        self, node: Node, name: str, kind: str, traits: Sequence[str] = (), doc: str = ""
    ) -> int:
        """Add a symbol; a symbol inside of test code is test code too."""
        around = self.builder.symbols[self.scope.symbol].traits
        if (
            self.is_for_tests
            or Trait.TESTING in around
            or (kind != SymbolKind.LAMBDA and self._is_for_tests(node))
        ):
            traits = (*traits, Trait.TESTING)
        return super().symbol(node, name, kind, traits, doc)

    def _is_for_tests(self, node: Node) -> bool:
        attributes = self._attributes(node)
        return bool(_TEST.search(attributes) or _FOR_TESTS.search(attributes))

    # Definitions

    def _function(self, node: Node) -> None:
        name = self.name(node)
        traits = (Trait.TEST,) if _TEST.search(self._attributes(node)) else ()
        number = self._add(node, name, SymbolKind.FUNCTION, "", traits)
        self.builder.copy(self.own_variable(name), self.function_value(number))

    def _attributes(self, node: Node) -> str:
        above = (
            self.source[max(self.begin(node) - 400, 0) : self.begin(node)]
            .rstrip()
            .rsplit(b"\n", 3)[-3:]
        )
        return " ".join(
            line.strip().decode("utf-8", "replace")
            for line in above
            if line.strip().startswith(b"#[")
        )

    def _add(
        self, node: Node, name: str, kind: str, receiver: str, traits: tuple[str, ...] = ()
    ) -> int:
        parameters: list[tuple[str, Variable]] = []
        patterns: list[tuple[Node, str]] = []
        outer = self.scope
        self.scope = self._generics(node)
        for place, parameter in enumerate(self.children(node, "parameters")):
            pattern = (
                self.field(parameter, "pattern") if parameter.type == "parameter" else parameter
            )
            if (
                parameter.type in ("self_parameter", "attribute_item", "line_comment")
                or pattern is None
            ):
                continue
            name_of = self.text(pattern).removeprefix("mut ")
            if pattern.type not in ("identifier", "mut_pattern"):
                name_of = f"<{place}>"
                patterns.append((pattern, name_of))
            parameters.append((name_of, self.declared_type(parameter)))
        return_type = self.type(self.field(node, "return_type"))
        body = self.field(node, "body")
        number, inner = self.function(
            node, name, kind, parameters, body, receiver=receiver, traits=traits
        )
        if self.implementing != NOTHING:
            inner.names["Self"] = self.implementing
        self.scope = inner
        for pattern, name_of in patterns:
            self.assign(pattern, inner.names[name_of])
        self.scope = outer
        self.builder.copy(self.builder.functions[number].result, return_type)
        return number

    def _generics(self, node: Node) -> Namespace:
        """Return a scope in which `T` of `fn f<T: Shape>` or `where T: Shape` means Shape."""
        where = [
            b for c in node.named_children if c.type == "where_clause" for b in c.named_children
        ]
        bounds = [*self.children(node, "type_parameters"), *where]
        outer = self.scope
        if not bounds:
            return outer
        scope = Namespace(outer, outer.symbol, outer.function, outer.prefix, outer.owner)
        for bound in bounds:
            name, traits = (
                self.field(bound, "name") or self.field(bound, "left"),
                self.field(bound, "bounds"),
            )
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
                self.bind(self.name(field), self.declared_type(field), inner)
            elif field.type == "enum_variant":
                instance = self.declared(self.own_variable(name))
                variant = self.name(field)
                self.bind(variant, instance, inner)
                self._payload(self.field(field, "body"), variant, inner)
            elif node.type == "struct_item" and "type" in field.type:
                self.builder.copy(self.builder.bind(inner, str(place)), self.type(field))
        self.builder.copy(self.own_variable(name), self.class_value(number))

    def _payload(self, body: Node | None, variant: str, inner: Namespace) -> None:
        """Keep what an enum variant carries under `Variant.0` or `Variant.name` of the enum."""
        for place, field in enumerate(list_children(body)):
            is_named = field.type == "field_declaration"
            kind = self.type(self.field(field, "type") if is_named else field)
            name = self.name(field) if is_named else str(place)
            self.bind(f"{variant}.{name}", kind, inner)

    def _trait(self, node: Node) -> None:
        name = self.name(node)
        bases = [self._named(b) for b in self.children(node, "bounds")]
        number, inner = self.class_(node, name, bases)
        self.builder.copy(self.own_variable(name), self.class_value(number))
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
        has_self = any(c.type == "self_parameter" for c in self.children(member, "parameters"))
        traits = () if has_self else (Trait.STATIC,)
        number = self._add(member, name, SymbolKind.METHOD, "self" if has_self else "", traits)
        method = self.function_value(number)
        if held == NOTHING:
            self.bind(name, method, inner)
        else:
            self.store(held, name, method, member)
        if has_self:
            self.builder.copy(
                self.builder.functions[number].parameters[0], self.declared(self.implementing)
            )

    def _alias(self, node: Node) -> None:
        name = self.name(node)
        self.builder.copy(self.own_variable(name), self._named(self.field(node, "type")))

    def _constant(self, node: Node) -> None:
        value = self.builder.merge(self.field_value(node, "value"), self.declared_type(node))
        self.bind(self.name(node), value)

    def _macro_definition(self, node: Node) -> None:
        name = self.name(node)
        number, _ = self.function(node, name, SymbolKind.FUNCTION, [], None)
        self.builder.copy(self.module_variable(f"{name}!"), self.function_value(number))

    # Types

    def _named(self, node: Node | None) -> Variable:
        """Return the variable of the type that a name means."""
        if node is None:
            return NOTHING
        if node.type in (
            "generic_type",
            "reference_type",
            "dynamic_type",
            "abstract_type",
            "pointer_type",
        ):
            return self._named(
                next((c for c in node.named_children if c.type not in _BESIDE_TYPE), None)
            )
        if node.type == "scoped_type_identifier":
            return self._path(self.text(node).split("::"), node)
        if node.type not in ("type_identifier", "identifier"):
            return NOTHING
        name = self.text(node)
        return (
            self.implementing
            if name == "Self" and self.implementing != NOTHING
            else self.lookup(name)
        )

    def type(self, node: Node | None) -> Variable:  # noqa: PLR0911 - one per form of a type
        """Return a variable of what a variable of this type may hold."""
        if node is None:
            return NOTHING
        if node.type == "generic_type":
            name = self.name(node, "type")
            inner = [c for c in self.children(node, "type_arguments") if "lifetime" not in c.type]
            if name in WRAPPERS and inner:
                return self.type(inner[0])
            if name in _COLLECTIONS and inner:
                return self.holding(self.type(inner[-1]), node)
        if node.type in ("reference_type", "dynamic_type", "abstract_type"):
            return self.type(
                next((c for c in node.named_children if c.type not in _BESIDE_TYPE), None)
            )
        if node.type in ("array_type", "slice_type"):
            return self.holding(
                self.type(self.field(node, "element") or node.named_children[0]), node
            )
        if node.type == "tuple_type":
            return self.row(node.named_children, self.type)
        return self.declared(self._named(node))

    def _path(self, parts: list[str], node: Node) -> Variable:
        first = parts[0].partition("<")[0] or parts[0].strip("<>").partition(" as ")[0]
        if first in ("crate", "super", "self") and len(parts) > 1:
            held = self.builder.fresh()
            self.emit(Op.IMPORT, held, "::".join(parts[:-1]), parts[-1], 0, self.line(node))
            return held
        held = self._find_path_head(first) if len(parts) > 1 else self.lookup(first)
        for part in parts[1:]:
            held = self.load(held, part.partition("<")[0], node)
        return held

    def _find_path_head(self, name: str) -> Variable:
        """Return the variable of the first part of a path, which is a module, type or function.

        It is never a value: with `let unit = …`, `unit::connect` is still of the module.
        """
        for scope in self.scope.outwards():
            variable = scope.names.get(f"{name}::", scope.names.get(name, NOTHING))
            if (
                variable != NOTHING
                and scope.owner == NOTHING
                and not self._is_value(scope, variable)
            ):
                return self._merge_globs(name, scope, variable)
        return self._merge_globs(name, None, self.module_variable(name))

    def _is_value(self, scope: Namespace, variable: Variable) -> bool:
        """Say whether a variable of a scope is of a parameter, or of a name bound by a pattern."""
        parameters = self.builder.functions[scope.function].parameters
        return variable in self._let_bound or variable in parameters

    # Patterns

    def assign(self, pattern: Node | None, value: Variable) -> None:
        """Bind the names of a pattern; `x` in `Some(x)` or in a tuple gets the contained value."""
        if pattern is None:
            return
        if pattern.type == "identifier":
            self._bind_anew(self.text(pattern), value)
        elif pattern.type == "tuple_pattern":
            for place, child in enumerate(pattern.named_children):
                self.assign(child, self.index(value, place, child))
        elif pattern.type == "tuple_struct_pattern":
            path = self.text(pattern.named_children[0])
            for place, child in enumerate(pattern.named_children[1:]):
                is_same = path in ("Some", "Ok", "Err")
                self.assign(
                    child, value if is_same else self._carried(path, str(place), value, child)
                )
        elif pattern.type == "struct_pattern":
            self._assign_fields(pattern, value)
        elif pattern.type in (
            "mut_pattern",
            "ref_pattern",
            "reference_pattern",
            "captured_pattern",
            "match_pattern",
        ):
            for child in pattern.named_children[-1:]:
                self.assign(child, value)

    def _bind_anew(self, name: str, value: Variable) -> None:
        """Bind a name to a new variable: `let x = f(x)` declares another `x`."""
        if self.scope.function:
            self.scope.names[name] = self.builder.fresh()
            self._let_bound.add(self.scope.names[name])
        self.bind(name, value)

    def apart(self, read: Callable[[], Variable]) -> Variable:
        """Read a part that has its own names; afterwards the earlier names hold again."""
        scope = self.scope
        before = dict(scope.names)
        held = read()
        if scope.function:
            scope.names = before
        return held

    def closure(self) -> Namespace:
        """Return a copy of the current names: a name may have changed when the body is read."""
        outer = self.scope
        if not outer.function:
            return outer
        scope = Namespace(outer.outer, outer.symbol, outer.function, outer.prefix, outer.owner)
        scope.names = dict(outer.names)
        return scope

    def _assign_fields(self, pattern: Node, value: Variable) -> None:
        path = self.name(pattern, "type")
        for field in pattern.named_children[1:]:
            inner = self.field(field, "pattern")
            name = self.name(field)
            carried = self._carried(path, name, value, field) if name else NOTHING
            if inner is not None:
                self.assign(inner, carried)
            elif name:
                self._bind_anew(name, carried)

    def _carried(self, path: str, name: str, value: Variable, node: Node) -> Variable:
        """Return the value that a pattern `Enum::Variant(x)` or `Struct { x }` takes out."""
        owner, _, variant = path.rpartition("::")
        held = self._path(owner.split("::"), node) if owner else NOTHING
        return self.builder.merge(
            self.load(held, f"{variant}.{name}", node), self.load(value, name, node)
        )

    handlers = MappingProxyType(
        {
            "use_declaration": _use,
            "mod_item": _module,
            "function_item": _function,
            "struct_item": _struct,
            "enum_item": _struct,
            "union_item": _struct,
            "trait_item": _trait,
            "impl_item": _impl,
            "type_item": _alias,
            "macro_definition": _macro_definition,
            "const_item": _constant,
            "static_item": _constant,
        }
    )
