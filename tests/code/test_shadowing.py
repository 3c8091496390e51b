"""Names of Rust that mean one thing after another."""

from collections.abc import Callable, Mapping


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
