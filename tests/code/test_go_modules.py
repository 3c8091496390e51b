"""Which folder an import of Go names."""

from collections.abc import Callable, Mapping

import pytest

from gieok.code.index.project import Project

Make = Callable[[Mapping[str, str]], Project]


def _imports(made: Project) -> set[str]:
    return {
        f"{e.source.partition('::')[0]} -> {e.target.partition('::')[0]}"
        for e in made.store.all_edges()
        if e.kind == "imports"
    }


def _go(package: str, *imported: str) -> str:
    return (
        f"package {package}\n"
        + "".join(f'import "{path}"\n' for path in imported)
        + "func Do() {}\n"
    )


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param(
            {
                "go.mod": "module github.com/me/shop/v2\n",
                "main.go": _go(
                    "main",
                    "github.com/me/shop/v2/log",
                    "log",
                    "github.com/other/log",
                    "github.com/me/shop/none",
                ),
                "log/log.go": _go("log", "log", "github.com/owner/project", "fmt"),
            },
            {"main.go -> log/log.go"},
            id="the module's path, and no other that ends so",
        ),
        pytest.param(
            {
                "go.work": "go 1.20\nuse (\n\t./a\n\t./b\n)\n",
                "a/go.mod": "module example.com/a\n",
                "b/go.mod": "module example.com/a/b\n",
                "a/x/x.go": _go("x", "example.com/a/b/y", "example.com/a"),
                "b/y/y.go": _go("y", "example.com/a/x"),
                "a/a.go": _go("a"),
            },
            {"a/x/x.go -> b/y/y.go", "a/x/x.go -> a/a.go", "b/y/y.go -> a/x/x.go"},
            id="several modules, the longest path first",
        ),
        pytest.param(
            {
                "go.mod": (
                    "module shop\nreplace (\n\texample.com/lib v1.2.0 => ./forks/lib // ours\n)\n"
                ),
                "main.go": _go("main", "shop/pay", "example.com/lib/deep"),
                "pay/pay.go": _go("pay"),
                "forks/lib/deep/deep.go": _go("deep"),
            },
            {"main.go -> pay/pay.go", "main.go -> forks/lib/deep/deep.go"},
            id="what is replaced by a folder",
        ),
        pytest.param(
            {
                "main.go": _go(
                    "main", "log", "github.com/me/shop/store", "github.com/sirupsen/log", "./near"
                ),
                "log/log.go": _go(
                    "log",
                    "github.com/me/shop",
                    "github.com/owner/project",
                    "github.com/me/shop/store",
                ),
                "store/store.go": _go("store"),
                "near/near.go": _go("near"),
            },
            {
                "main.go -> store/store.go",
                "main.go -> near/near.go",
                "log/log.go -> main.go",
                "log/log.go -> store/store.go",
            },
            id="without a go.mod, what the project's own imports begin with",
        ),
        pytest.param(
            {
                "src/github.com/me/shop/main.go": _go("main", "github.com/me/pay"),
                "src/github.com/me/pay/pay.go": _go("pay", "errors"),
                "src/errors/errors.go": _go("errors"),
            },
            {"src/github.com/me/shop/main.go -> src/github.com/me/pay/pay.go"},
            id="a workspace of GOPATH",
        ),
    ],
)
def test_an_import_names_a_folder_by_the_modules(
    indexed: Make, files: Mapping[str, str], expected: set[str]
) -> None:
    assert _imports(indexed(files)) == expected


def test_a_package_has_its_name_without_its_version(
    edges: Callable[[Mapping[str, str]], set[str]],
) -> None:
    assert edges(
        {
            "go.mod": "module example.com/go-shop/v3\n",
            "shop.go": "package shop\nfunc Pay() {}\n",
            "cmd/main.go": (
                'package main\nimport "example.com/go-shop/v3"\nfunc main() { shop.Pay() }\n'
            ),
        }
    ) == {"main -> Pay"}


def test_a_type_satisfies_an_interface_by_its_methods_with_their_types(
    edges: Callable[[Mapping[str, str]], set[str]],
) -> None:
    assert edges(
        {
            "go.mod": "module example.com/fs\n",
            "fs.go": "package fs\n\ntype File interface{ Name() string }\n"
            "type Fs interface{ Open(name string, flags ...byte) (File, error) }\nfunc Use(f "
            'Fs) { f.Open("a") }\n',
            "mem/mem.go": 'package mem\nimport "example.com/fs"\ntype Mem struct{}\n'
            "func (m *Mem) Open(n string, f ...uint8) (opened fs.File, err error) { return "
            "nil, nil }\n",
            "web.go": 'package fs\nimport "net/http"\ntype Web struct{}\n'
            "func (w Web) Open(name string, flags ...byte) (http.File, error) { return nil, "
            "nil }\n",
        }
    ) == {"Use -> Mem.Open"}
