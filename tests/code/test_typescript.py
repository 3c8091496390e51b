"""What only TypeScript has."""

from collections.abc import Callable, Mapping

Edges = Callable[[Mapping[str, str]], set[str]]


def test_a_module_may_be_what_it_assigns(edges: Edges) -> None:
    assert edges(
        {
            "lib.ts": (
                "class Shop { pay() {} }\nnamespace Shop { export function make() { return new "
                "Shop() } }\nexport = Shop\n"
            ),
            "a.ts": "import Shop = require('./lib')\nfunction a() { Shop.make().pay() }\n",
            "b.ts": "import Shop from './lib'\nfunction b() { new Shop().pay() }\n",
        }
    ) == {"a -> Shop.make", "a -> Shop.pay", "b -> Shop.pay"}


def test_a_namespace_is_an_object_of_what_is_in_it(edges: Edges) -> None:
    found = edges(
        {
            "a.ts": "export namespace Tax.Deep { export function rate() {} }\nexport namespace "
            "Tax {\n"
            "  function own() {}\n  export class Rule { go() { own() } } }\nenum Color { Red }\n"
            "namespace Color { export function parse() {} }\nfunction a() { new "
            "Tax.Rule().go(); Color.parse() }\n",
            "b.ts": (
                "import { Tax } from './a'\nimport rate = Tax.Deep.rate\nfunction b() { "
                "Tax.Deep.rate() }\nfunction c() { rate() }\n"
            ),
        }
    )
    assert found == {
        "Tax.Rule.go -> Tax.own",
        "a -> Tax.Rule.go",
        "a -> Color.parse",
        "b -> Tax.Deep.rate",
        "c -> Tax.Deep.rate",
    }


def test_types_say_who_may_be_called(edges: Edges) -> None:
    found = edges(
        {
            "a.ts": "abstract class Base { abstract go(): void; run() { this.go() } }\nclass One "
            "extends Base { go() {} }\n"
            "class Two extends Base { go() {} }\ntype Deps = { one: One }\ntype Either = One "
            "| Two\n"
            "class Keeps { constructor(private readonly one: One) {} m() { this.one.go() } }\n"
            "class Box<T extends One> { constructor(private t: T) {} m() { this.t.go() } }\n"
            "function generic<T extends Base>(t: T) { t.go() }\nfunction taken({ one }: Deps) "
            "{ one.go() }\n"
            "function either(e: Either) { e.go() }\nfunction some(o: Pick<One, 'go'>) { o.go() }\n",
        }
    )
    assert found - {"Base.run -> One.go", "Base.run -> Two.go"} == {
        "Keeps.m -> One.go",
        "Box.m -> One.go",
        "generic -> One.go",
        "generic -> Two.go",
        "taken -> One.go",
        "either -> One.go",
        "either -> Two.go",
        "some -> One.go",
    }


def test_decorators_are_called_and_what_satisfies_a_type_keeps_its_name(edges: Edges) -> None:
    found = edges(
        {
            "a.ts": "function tag(o: string) { return (c: unknown) => mark() }\nfunction mark() "
            "{}\nfunction log(t: unknown) {}\n"
            "@tag(name())\nexport class A { @log m() {} }\nfunction name() { return 'a' }\n"
            "const table = { f() { mark() } } satisfies Record<string, () => void>\nfunction "
            "use() { table.f() }\n",
        }
    )
    assert found == {
        "<module> -> tag",
        "<module> -> name",
        "tag -> mark",
        "A -> log",
        "table.f -> mark",
        "use -> table.f",
    } | {e for e in found if e == "<module> -> mark"}


def test_packages_of_a_workspace_say_what_they_export(edges: Edges) -> None:
    assert edges(
        {
            "pnpm-workspace.yaml": "packages: [packages/*]\n",
            "packages/core/package.json": '{"name": "@x/core", "exports": {".": {"types": '
            '"./dist/index.d.ts", "import": '
            '"./dist/index.mjs"}, "./util": "./dist/other.js", "./deep/*": "./src/inner/*.ts"}}',
            "packages/core/src/index.ts": "export function core() {}\n",
            "packages/core/src/other.ts": "export function util() {}\n",
            "packages/core/src/inner/a.ts": "export function deep() {}\n",
            "packages/app/package.json": '{"name": "app", "imports": {"#own": "./lib/own.js"}}',
            "packages/app/lib/own.ts": "export function own() {}\n",
            "packages/app/m.ts": "import { own } from '#own'\nimport { core } from "
            "'@x/core'\nimport { util } from "
            "'@x/core/util'\nimport { deep } from '@x/core/deep/a'\n"
            "function m() { core(); util(); deep(); own() }\n",
        }
    ) == {"m -> core", "m -> util", "m -> deep", "m -> own"}
