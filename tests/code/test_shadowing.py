"""Names of Rust that mean one thing after another."""

from collections.abc import Callable, Mapping

from gieok.code.index.project import Project

Make = Callable[[Mapping[str, str]], Project]


def test_a_name_that_is_bound_again_is_another_until_its_block_ends(
    edges: Callable[[Mapping[str, str]], set[str]],
) -> None:
    found = edges(
        {
            "src/lib.rs": "struct A;\nimpl A { fn go(&self) {} fn made(self) -> B { B } }\nstruct "
            "B;\nimpl "
            "B { fn go(&self) {} }\n"
            "fn again() { let x = A; let x = x.made(); x.go(); }\n"
            "fn block() { let x = A; { let x = B; } x.go(); }\n"
            "fn tested() { let x = A; if let Some(x) = Some(B) { x.go(); } }\n"
            "fn arms(y: Option<B>) { let x = A; match y { Some(x) => x.go(), None => {} } }\n"
            "fn kept() { let x = A; let f = || x.go(); let x = 1; f(); }\n",
        }
    )
    assert found == {
        "again -> A.made",
        "again -> B.go",
        "block -> A.go",
        "tested -> B.go",
        "arms -> B.go",
        "kept -> A.go",
    }


def test_the_first_part_of_a_path_is_a_module_though_a_value_has_its_name(
    edges: Callable[[Mapping[str, str]], set[str]],
) -> None:
    found = edges(
        {
            "src/lib.rs": "mod unit;\nmod pool;\nuse crate::unit;\n"
            "fn bound() { let unit = 1; unit::connect(unit); }\n"
            "fn given(unit: u8) { unit::connect(unit); }\n"
            "fn closed() { let unit = 1; let f = || unit::connect(unit); f(); }\n"
            "fn inner() { fn pool() {} pool(); pool::take(); }\n",
            "src/unit.rs": "pub fn connect(u: u8) {}\n",
            "src/pool.rs": "pub fn take() {}\n",
        }
    )
    assert {"bound -> connect", "given -> connect", "closed -> connect"} <= found


def test_a_use_inside_of_a_function_is_of_the_function_alone(indexed: Make) -> None:
    made = indexed(
        {
            "src/lib.rs": "mod pool;\nmod unit;\nfn go() {}\n"
            "fn own() { go(); }\n"
            "fn within() { use crate::unit::go; go(); }\n"
            "fn after() { go(); }\n"
            "fn block() { { use crate::unit::go; go(); } }\n"
            "fn behind() { { use crate::unit::go; go(); } go(); }\n"
            "fn headed() { use crate::pool as tub; let tub = 1; tub::take(tub); }\n"
            "fn beside(pool: u8) { use crate::unit as pool; pool::take(pool); }\n"
            "fn closed() { use crate::unit::go; let f = || go(); f(); }\n",
            "src/unit.rs": "pub fn go() {}\npub fn take(u: u8) {}\n",
            "src/pool.rs": "pub fn take(u: u8) {}\n",
        }
    )
    called = {
        f"{edge.source.partition('::')[2]} -> {edge.target}"
        for edge in made.store.all_edges()
        if edge.kind == "calls" and edge.tier <= 1
    }
    assert called == {
        "own -> src/lib.rs::go",
        "within -> src/unit.rs::go",
        "after -> src/lib.rs::go",
        "block -> src/unit.rs::go",
        "behind -> src/unit.rs::go",
        "behind -> src/lib.rs::go",
        "headed -> src/pool.rs::take",
        "beside -> src/unit.rs::take",
        "closed -> src/unit.rs::go",
    }


def test_a_glob_inside_of_a_function_holds_in_its_block_alone(
    edges: Callable[[Mapping[str, str]], set[str]],
) -> None:
    found = edges(
        {
            "src/lib.rs": "mod unit;\nmod other;\n"
            "fn only_unit() { use crate::unit::*; connect() }\n"
            "fn only_other() { use crate::other::*; connect() }\n"
            "fn neither() { connect() }\n"
            "fn bound() { use crate::other::*; let connect = || 1; connect(); }\n"
            "fn block() { { use crate::unit::*; } connect() }\n",
            "src/unit.rs": "pub fn connect() {}\n",
            "src/other.rs": "pub fn other() {}\npub fn connect() { other() }\n",
        }
    )
    assert {edge for edge in found if not edge.startswith("bound")} == {
        "only_unit -> connect",
        "only_other -> connect",
        "connect -> other",
    }
    assert "bound -> connect" not in found


def test_a_use_holds_in_its_whole_block_also_before_it(
    edges: Callable[[Mapping[str, str]], set[str]],
) -> None:
    found = edges(
        {
            "src/lib.rs": "mod unit;\nmod other;\nuse crate::unit;\n"
            "fn after() { unit::connect(); use crate::other as unit; }\n"
            "fn outside() { unit::close() }\n",
            "src/unit.rs": "pub fn connect() {}\npub fn close() {}\n",
            "src/other.rs": "pub fn connect() { ours() }\nfn ours() {}\n",
        }
    )
    assert found == {"after -> connect", "outside -> close", "connect -> ours"}
