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
