"""Read Java into facts.

Facts cover packages and imports, declared types, overloads by number of arguments, and
implementations of abstract methods.
"""

import re
from collections.abc import Sequence
from types import MappingProxyType

from gieok.code.languages.tree import Node, TreeReader, list_children
from gieok.code.model.facts import NOTHING, Argument, Namespace, Op, SymbolKind, Trait, Variable

_TYPES = frozenset(
    (
        "class_declaration interface_declaration enum_declaration record_declaration "
        "annotation_type_declaration"
    ).split()
)
_COLLECTIONS = frozenset(
    """
        List Set Collection Iterable Iterator Queue Deque Map Optional Stream ArrayList
        LinkedList HashSet TreeSet HashMap TreeMap LinkedHashMap Supplier Callable Future
        CompletableFuture ConcurrentHashMap
    """.split()
)
#: Annotations of JUnit and TestNG: such a method runs around every test of its class.
_HOOK = re.compile(r"@(?:Before|After)(?:Each|All|Class|Method)?\b")


class JavaReader(TreeReader):
    """Reader of Java."""

    branches = frozenset(
        """
            if_statement for_statement enhanced_for_statement while_statement do_statement
            switch_block_statement_group switch_rule catch_clause ternary_expression
        """.split()
    )

    def start(self) -> None:
        """Give a file the names of the other files of its package."""
        #: Fields by class scope; they are reached through `this`, because a class body has no
        #: statements of its own.
        self.emit(Op.IMPORT_ALL, "", 0)  # the same package
        #: Classes whose members `import static` imports all.
        self.statics: list[Variable] = []
        #: (object, method) of the hooks of the classes around, outermost first.
        self.hooks: list[tuple[Variable, str]] = []
        #: Test → the hooks around it: bodies are read after all heads.
        self.hooks_around: dict[int, list[tuple[Variable, str]]] = {}

    # Imports

    def _package(self, node: Node) -> None:
        self.builder.package = self.text(node.named_children[-1])

    def _import(self, node: Node) -> None:
        dotted = self.text(self.child(node, "scoped_identifier", "identifier"))
        is_static = any(child.type == "static" for child in node.children)
        is_all = any(child.type == "asterisk" for child in node.named_children)
        if is_all and not is_static:
            self.emit(Op.IMPORT_ALL, dotted, 0)
            return
        name = dotted.rpartition(".")[2]
        if is_static:
            owner = dotted if is_all else dotted.rpartition(".")[0]
            held = self.builder.fresh()
            self.emit(Op.IMPORT, held, owner, owner.rpartition(".")[2], 0, self.line(node))
            if is_all:
                self.statics.append(held)
            else:
                self._take(held, name, node)
        else:
            self.emit(
                Op.IMPORT,
                self.module_variable(name),
                dotted,
                name,
                0,
                self.line(node),
            )

    def _take(self, owner: Variable, name: str, node: Node) -> None:
        """Let a name mean a class's field and methods of that name."""
        to = self.module_variable(name)
        for attribute in (name, f"{name}()"):
            self.builder.copy(to, self.load(owner, attribute, node))

    def _imported(self, name: str, node: Node) -> Variable:
        """Return what a name without an enclosing definition may mean: an imported name."""
        if name not in self.builder.module.names:
            for owner in self.statics:
                self._take(owner, name, node)
        return self.module_variable(name)

    # Definitions

    def _class(self, node: Node) -> None:
        self._class_of(node, self.name(node), self._bases(node), self.field(node, "body"))

    def _bases(self, node: Node) -> list[Variable]:
        bases = []
        for child in node.named_children:
            if child.type in ("superclass", "super_interfaces", "extends_interfaces"):
                types = child.named_children
                types = types[0].named_children if types and types[0].type == "type_list" else types
                bases += [self._class_named(t) for t in types]
        return bases

    def _class_of(
        self, node: Node, name: str, bases: list[Variable], body: Node | None
    ) -> Variable:
        is_test = "Test" in self.text(self.child(node, "modifiers"))
        number, inner = self.class_(node, name, bases, (Trait.TEST,) if is_test else ())
        class_value = self.class_value(number)
        self.bind(name, class_value)
        outer, self.scope = self.scope, inner
        self._generics(node, inner)
        this = self.declared(class_value)
        self._components(node, inner)
        parts = list_children(body)
        members = [
            m
            for p in parts
            for m in (p.named_children if p.type == "enum_body_declarations" else [p])
        ]
        for member in members:  # names first: a method may stand above the field it uses
            if member.type == "field_declaration":
                self._field(member, inner)
            elif member.type in _TYPES:
                self.builder.bind(inner, self.name(member))
            elif member.type == "enum_constant":
                constant, own = self.name(member), self.field(member, "body")
                kind = (
                    class_value
                    if own is None
                    else self._class_of(member, constant, [class_value], own)
                )
                instance = self.call(
                    kind, self.arguments(self.field(member, "arguments")), member, name
                )
                self.bind(constant, instance, inner)
        outer_hooks, self.hooks = self.hooks, [*self.hooks, *self._find_hooks(this, members)]
        for member in members:
            if member.type in (
                "method_declaration",
                "constructor_declaration",
                "compact_constructor_declaration",
            ):
                self._method(member, inner, this)
            elif member.type in _TYPES:
                self.value(member)
            elif member.type in ("static_initializer", "block"):
                self.nothing(member)
        self.scope, self.hooks = outer, outer_hooks
        return class_value

    def _find_hooks(self, this: Variable, members: Sequence[Node]) -> list[tuple[Variable, str]]:
        """Return the methods of a class that run around each of its tests, on an object of it."""
        return [
            (this, self.name(member))
            for member in members
            if member.type == "method_declaration"
            and _HOOK.search(self.text(self.child(member, "modifiers")))
        ]

    def _components(self, node: Node, inner: Namespace) -> None:
        """Declare a record's components: fields, each with a method of the same name."""
        for parameter in (
            self.children(node, "parameters") if node.type == "record_declaration" else ()
        ):
            name = self.name(parameter)
            self.builder.copy(self.builder.bind(inner, name), self.declared_type(parameter))

    def _field(self, member: Node, inner: Namespace) -> None:
        kind = self.declared_type(member)
        for declarator in member.named_children:
            if declarator.type == "variable_declarator":
                value = self.field_value(declarator, "value")
                name = self.name(declarator)
                self.builder.copy(self.builder.bind(inner, name), self.builder.merge(value, kind))

    def _method(self, member: Node, inner: Namespace, this: Variable) -> None:
        is_constructor = member.type != "method_declaration"
        name = self.name(member)
        modifiers = self.text(self.child(member, "modifiers"))
        traits = [Trait.EXACT] if "..." not in self.name(member, "parameters") else []
        traits += [Trait.CLASS] if "static" in modifiers.split() else []
        traits += [Trait.TEST] if "@Test" in modifiers or "@ParameterizedTest" in modifiers else []
        outer = self.scope
        self.scope = Namespace(outer, outer.symbol, outer.function, outer.prefix, outer.owner)
        self._generics(member, self.scope)
        parameters, rest, elements = self._parameters(self.children(member, "parameters"))
        return_type = NOTHING if is_constructor else self.declared_type(member)
        shown = "<init>" if is_constructor else name
        body = self.field(member, "body")
        number, _ = self.function(
            member,
            shown,
            SymbolKind.METHOD,
            parameters,
            body,
            receiver="this",
            rest=rest,
            traits=traits,
        )
        self.scope = outer
        if Trait.TEST in traits:
            self.hooks_around[number] = self.hooks
        self.builder.copy(self.builder.functions[number].rest, elements)
        if Trait.CLASS not in traits:
            self.builder.copy(self.builder.functions[number].parameters[0], this)
        self.builder.copy(
            self.builder.bind(inner, "__init__" if is_constructor else f"{name}()"),
            self.function_value(number),
        )
        self.builder.copy(self.builder.functions[number].result, return_type)

    def _parameters(
        self, listed: Sequence[Node]
    ) -> tuple[list[tuple[str, Variable]], str, Variable]:
        """Return the parameters as (name, annotation), and the variadic parameter.

        The variadic parameter is given by its name and its declared variable.
        """
        parameters = []
        rest, elements = "", NOTHING
        for parameter in listed:
            if parameter.type == "formal_parameter":
                parameters.append((self.name(parameter), self.declared_type(parameter)))
            elif parameter.type == "spread_parameter":
                kind = next((c for c in parameter.named_children if "type" in c.type), None)
                declarator = self.child(parameter, "variable_declarator")
                rest = self.text(
                    self.field(declarator, "name")
                    if declarator is not None
                    else parameter.named_children[-1]
                )
                elements = self.holding(self.type(kind), parameter)
        return parameters, rest, elements

    # Names

    def _find(self, name: str, key: str = "") -> tuple[Variable, bool]:
        """Return the variable of a name, and whether the name is a member of an enclosing class.

        Such a member must be reached through `this`.
        """
        for scope in self.scope.outwards():
            if scope.owner == NOTHING and name in scope.names and not key:
                return scope.names[name], False
            if scope.owner != NOTHING and (key or name) in scope.names:
                return scope.names[key or name], True
        return NOTHING, False

    def _identifier(self, node: Node) -> Variable:
        name = self.text(node)
        variable, is_member = self._find(name)
        if is_member or (variable == NOTHING and not name[:1].isupper()):
            this = self._this(node)
            inherited = self.load(this, name, node)
            return self.builder.merge(variable, inherited) if is_member else inherited
        return variable if variable != NOTHING else self._imported(name, node)

    def _this(self, node: Node) -> Variable:
        del node
        return self.visible("this")

    def _super(self, node: Node) -> Variable:
        owner = self.current.owner
        return self.made_of(self._this(node), Op.SUPER, owner) if owner != NOTHING else NOTHING

    def _class_named(self, node: Node | None) -> Variable:
        """Return the variable of the class that a type's name means."""
        if node is None:
            return NOTHING
        if node.type == "generic_type":
            return self._filled(node)
        parts = self.text(node).split(".")
        variable, _ = self._find(parts[0])
        held = variable if variable != NOTHING else self.module_variable(parts[0])
        for part in parts[1:]:
            held = self.load(held, part, node)
        return held

    def _filled(self, node: Node) -> Variable:
        """Read `Box<Shape>`: type arguments are kept with the class, one set for all uses."""
        held, listed = self._class_named(node.named_children[0]), node.named_children[-1]
        for place, argument in enumerate(
            listed.named_children if listed.type == "type_arguments" else ()
        ):
            if argument.type in ("type_identifier", "scoped_type_identifier", "generic_type"):
                self.store(held, f"[{place}]", self._class_named(argument), node)
        return held

    def _generics(self, node: Node, inner: Namespace) -> None:
        """Let `T` of `class Box<T extends Shape>` mean Shape and every given type argument."""
        listed = self.child(node, "type_parameters")
        for place, parameter in enumerate(list_children(listed)):
            name = self.text(
                next((c for c in parameter.named_children if "identifier" in c.type), None)
            )
            inner.names[name] = self.builder.bind(inner, f"[{place}]")
            bound = self.child(parameter, "type_bound")
            for kind in list_children(bound):
                self.builder.copy(inner.names[name], self._class_named(kind))

    def type(self, node: Node | None) -> Variable:
        """Return what a variable of a declared type may hold."""
        if node is None or node.type in (
            "void_type",
            "integral_type",
            "floating_point_type",
            "boolean_type",
        ):
            return NOTHING
        if node.type == "array_type":
            return self.holding(self.type(self.field(node, "element")), node)
        if node.type == "generic_type" and self.text(node.named_children[0]) in _COLLECTIONS:
            inner = node.named_children[-1].named_children
            return self.holding(self.type(inner[-1]) if inner else NOTHING, node)
        if node.type in ("type_identifier", "scoped_type_identifier", "generic_type"):
            return self.declared(self._class_named(node))
        return NOTHING

    # Expressions

    def _field_access(self, node: Node) -> Variable:
        if self.name(node, "field") == "this":  # `Outer.this`
            return self.declared(self.field_value(node, "object"))
        return self.load(self.field_value(node, "object"), self.name(node, "field"), node)

    def _invocation(self, node: Node) -> Variable:
        name = self.name(node)
        place = self.field(node, "object")
        arguments = self.arguments(self.field(node, "arguments"))
        if place is not None:
            return self._call_named(self.value(place), name, arguments, node)
        variable, is_member = self._find("", f"{name}()")
        result = self._call_named(self._this(node), name, arguments, node)
        # a member of an enclosing class
        callee = variable if is_member else self._imported(name, node)
        return self.builder.merge(result, self.call(callee, arguments, node, name))

    def _call_named(
        self, place: Variable, name: str, arguments: list[Argument], node: Node
    ) -> Variable:
        """Call a method by name; methods and fields have separate names.

        A collection's methods are known by their plain name.
        """
        result = self.call_method(place, f"{name}()", arguments, node)
        return (
            self.builder.merge(result, self.call_method(place, name, arguments, node))
            if place != NOTHING
            else result
        )

    def _creation(self, node: Node) -> Variable:
        type_node = self.field(node, "type")
        around = node.named_children[0]
        if (
            type_node is not None
            and around.start_byte < type_node.start_byte
            and "annotation" not in around.type
        ):
            kind = self.load(self.value(around), self.text(type_node), node)  # `outer.new Inner()`
        else:
            kind = self._class_named(type_node)
        arguments = self.arguments(self.field(node, "arguments"))
        body = self.child(node, "class_body")
        if body is not None:
            kind = self._class_of(
                node,
                self.builder.lambda_name(self.scope.symbol).replace("lambda", "anonymous"),
                [kind],
                body,
            )
        return self.call(kind, arguments, node, self.name(node, "type"))

    def _explicit(self, node: Node) -> Variable:
        target = self.field(node, "constructor")
        return self.call_method(
            self.value(target), "__init__", self.arguments(self.field(node, "arguments")), node
        )

    def _assignment(self, node: Node) -> Variable:
        value = self.field_value(node, "right")
        left = self.field(node, "left")
        if left is None or value == NOTHING:
            return value
        if left.type == "identifier":
            variable, is_member = self._find(self.text(left))
            if variable != NOTHING and not is_member:
                self.builder.copy(variable, value)
            else:
                self.store(self._this(node), self.text(left), value, node)
        elif left.type == "field_access":
            self.store(self.field_value(left, "object"), self.name(left, "field"), value, node)
        elif left.type == "array_access":
            self.store_index(self.field_value(left, "array"), "*", value, node)
        return value

    def _local(self, node: Node) -> None:
        kind_node = self.field(node, "type")
        for declarator in node.named_children:
            if declarator.type == "variable_declarator":
                value_node = self.field(declarator, "value")
                value = self.value(value_node)
                kind = (
                    self.type(kind_node)
                    if value == NOTHING or self.text(kind_node) != "var"
                    else NOTHING
                )
                variable = self.own_variable(self.name(declarator))
                # a `new Circle()` is exactly a Circle, not any Shape
                is_exact = (
                    value_node is not None and value_node.type == "object_creation_expression"
                )
                self.builder.copy(variable, value if is_exact else self.builder.merge(value, kind))

    def _lambda(self, node: Node) -> Variable:
        listed = self.field(node, "parameters")
        if listed is None or listed.type == "identifier":
            parameters = [(self.text(listed), NOTHING)]
        elif listed.type == "inferred_parameters":
            parameters = [(self.text(child), NOTHING) for child in listed.named_children]
        else:
            parameters, _, _ = self._parameters(listed.named_children)
        number, _ = self.function(node, "", SymbolKind.LAMBDA, parameters, self.field(node, "body"))
        return self.function_value(number)

    def body(self, node: Node) -> None:
        """Read the body of a method or a lambda.

        A test's body first calls the hooks of the classes around it.
        """
        for this, name in self.hooks_around.get(self.scope.function, ()):
            self.call_method(this, f"{name}()", [], node)
        if node.type in ("block", "constructor_body"):
            self.block(node)
        else:
            self.give(self.value(node))

    def _reference(self, node: Node) -> Variable:
        parts = node.named_children
        name = self.text(parts[-1]) if len(parts) > 1 else "new"
        held = self.value(parts[0])
        callee = held if name == "new" else self.load(held, f"{name}()", node)
        anything: list[Argument] = [("*", NOTHING)]
        self.call(callee, anything, node, name)  # whoever takes it calls it
        if name != "new":
            # `Shape::area` is called on any Shape
            self.call_method(self.declared(held), f"{name}()", anything, node)
        return callee

    def _for_each(self, node: Node) -> None:
        held = self.element(self.field_value(node, "value"), node)
        variable = self.own_variable(self.name(node))
        self.builder.copy(variable, self.builder.merge(held, self.declared_type(node)))
        self.field_value(node, "body")

    def _cast(self, node: Node) -> Variable:
        value, kind = self.field_value(node, "value"), self.field(node, "type")
        named = (
            self._class_named(kind)
            if kind is not None and "type_identifier" in kind.type
            else NOTHING
        )
        return self.builder.merge(self.narrow(value, named), self.type(kind))

    def _array_access(self, node: Node) -> Variable:
        self.field_value(node, "index")
        return self.element(self.field_value(node, "array"), node)

    def _array(self, node: Node) -> Variable:
        return self.row(node.named_children, self.value, "*")

    def _catch(self, node: Node) -> None:
        kinds = self.child(node, "catch_type")
        variable = self.own_variable(self.name(node))
        for kind in list_children(kinds):
            self.builder.copy(variable, self.type(kind))

    def _resource(self, node: Node) -> None:
        name = self.field(node, "name")
        value = self.field_value(node, "value")
        if name is not None:
            kind = self.declared_type(node)
            self.builder.copy(self.own_variable(self.text(name)), self.builder.merge(value, kind))

    def _pattern(self, node: Node) -> None:
        """Declare the variable of a pattern: `case Circle c` declares `c`."""
        kind, name = node.named_children[0], node.named_children[-1]
        if name.type == "identifier":
            self.builder.copy(self.own_variable(self.text(name)), self.type(kind))
        else:
            self.nothing(node)

    def _instance_of(self, node: Node) -> None:
        self.field_value(node, "left")
        name, kind = self.field(node, "name"), self.field(node, "right")
        if name is not None:
            self.builder.copy(self.own_variable(self.text(name)), self.type(kind))

    handlers = MappingProxyType(
        {
            **dict.fromkeys(_TYPES, _class),
            "package_declaration": _package,
            "import_declaration": _import,
            "identifier": _identifier,
            "this": _this,
            "super": _super,
            "field_access": _field_access,
            "method_invocation": _invocation,
            "object_creation_expression": _creation,
            "explicit_constructor_invocation": _explicit,
            "assignment_expression": _assignment,
            "local_variable_declaration": _local,
            "lambda_expression": _lambda,
            "method_reference": _reference,
            "return_statement": TreeReader.returned,
            "enhanced_for_statement": _for_each,
            "cast_expression": _cast,
            "ternary_expression": TreeReader.conditional,
            "array_access": _array_access,
            "array_initializer": _array,
            "string_literal": TreeReader.text_value,
            "binary_expression": TreeReader.nothing,
            "unary_expression": TreeReader.nothing,
            "type_identifier": _class_named,
            "scoped_type_identifier": _class_named,
            "expression_statement": TreeReader.nothing,
            "catch_formal_parameter": _catch,
            "resource": _resource,
            "modifiers": TreeReader.skip,
            "type_parameters": TreeReader.skip,
            "type_arguments": TreeReader.skip,
            "generic_type": _class_named,
            "instanceof_expression": _instance_of,
            "type_pattern": _pattern,
            "record_pattern_component": _pattern,
            "labeled_statement": TreeReader.last,
            "break_statement": TreeReader.skip,
            "continue_statement": TreeReader.skip,
        }
    )
