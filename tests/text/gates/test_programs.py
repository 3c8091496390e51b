"""Words, options and values of a program, and the command that it runs in its place."""

import pytest

from gieok.text.gates.programs import (
    CommandWords,
    find_inner_command,
    is_interpreter,
    list_searched_paths,
    split_ssh_arguments,
)


def _parse(line: str) -> CommandWords:
    program, *arguments = line.split(" ") if line else [""]
    return CommandWords(program, arguments)


@pytest.mark.parametrize(
    ("line", "words", "flags"),
    [
        ("rm -r -- -x y", ["-x", "y"], ["-r", "--"]),
        ("rm -- --", ["--"], ["--"]),
        ("rm - x", ["-", "x"], []),
        ("git -c -- push", ["push"], ["-c", "--"]),
        ("git --message=a push", ["push"], ["--message"]),
        ("git --message a push", ["push"], ["--message"]),
        ("git --message=a b push", ["b", "push"], ["--message"]),
        ("npm --x a b", ["a", "b"], ["--x"]),
        ("cargo +nightly test", ["test"], []),
        ("npm +x", ["+x"], []),
        ("python3 x", ["x"], []),
        ("helm delete x", ["uninstall", "x"], []),
        ("npm x i", ["x", "i"], []),
        ("docker container rm x", ["rm", "x"], []),
        ("docker image rm x", ["rmi", "x"], []),
        ("docker image ls", ["ls"], []),
        ("docker volume rm x", ["volume", "rm", "x"], []),
        ("podman container rm x", ["container", "rm", "x"], []),
        ("", [], []),
    ],
)
def test_words_are_what_is_no_option_and_no_value(
    line: str, words: list[str], flags: list[str]
) -> None:
    parsed = _parse(line)
    assert (parsed.words, parsed.flags) == (words, flags)


def test_the_value_of_an_option_is_known_or_unsure() -> None:
    parsed = _parse("npm --tag a --x b --y=c d e")
    assert parsed.values == [("--tag", "a"), ("--x", "b"), ("--y", "c")]
    assert (parsed.words, parsed.unsure) == (["b", "d", "e"], {0})
    assert _parse("docker --x container rm y").unsure == {-1}
    assert _parse("docker container --x rm y").unsure == {0}
    assert _parse("docker container --x rm y").words == ["rm", "y"]
    assert _parse("docker-compose --x up").unsure == {1}


@pytest.mark.parametrize(
    ("line", "flag", "is_set"),
    [
        ("git push -f", "--force", True),
        ("git push --force", "-f", True),
        ("git push -uf", "--force", True),
        ("git push --foo", "-f", False),
        ("git add -A", "--all", True),
        ("git add -A", "-a", True),
        ("git commit -n", "--no-verify", True),
        ("git push -n", "--no-verify", False),
        ("git -n", "--no-verify", False),
        ("rm -rf x", "-rf", True),
        ("rm -fr x", "-rf", True),
        ("rm -r x", "-rf", False),
        ("rm -r --force x", "-rf", True),
        ("rm --recursive -f x", "-rf", True),
        ("tar -xvzfk", "-f", True),
        ("tar -xvzfkp", "-f", False),
        ("tar -xz", "--xz", False),
        ("tar -xz", "-", False),
        ("terraform -force", "-f", False),
        ("terraform -f", "-f", True),
        ("x -abcdef", "-abcde", False),
        ("x -abcde", "-abcde", True),
        ("x -edcba", "-abcde", True),
        ("x -edcb", "-abcde", False),
        ("x", "-f", False),
    ],
)
def test_an_option_is_set_in_each_of_its_spellings(line: str, flag: str, is_set: bool) -> None:
    assert _parse(line).has_flag(flag) is is_set


@pytest.mark.parametrize(
    ("line", "inner"),
    [
        ("python -m pip install", "pip install"),
        ("python -W x a.py b", "a.py b"),
        ("python -c x.y", None),
        ("python -q x", None),
        ("python x/y", "x/y"),
        ("node -r a b.js", "b.js"),
        ("node -e b.js", None),
        ("node", None),
        ("bun run --cwd a b.ts", "b.ts"),
        ("sudo -u kim rm x", "rm x"),
        ("sudo --user=kim rm x", "rm x"),
        ("sudo -n rm x", "rm x"),
        ("sudo", None),
        ("sudo -- rm x", "rm x"),
        ("sudo -u -- rm x", "rm x"),
        ("timeout 9 -- rm x", "rm x"),
        ("timeout -s KILL 9 rm x", "rm x"),
        ("timeout 9", None),
        ("docker exec -e A=1 db psql", "psql"),
        ("docker -H x exec db psql", "psql"),
        ("docker --debug exec db psql", "psql"),
        ("docker --context=x exec db psql", "psql"),
        ("docker compose -f x exec db psql", "psql"),
        ("docker compose up", None),
        ("docker", None),
        ("npm --prefix x exec y", "y"),
        ("npm exec", None),
        ("uv tool run x", "x"),
        ("git push", None),
    ],
)
def test_the_command_that_a_program_runs_stands_behind_its_options(
    line: str, inner: str | None
) -> None:
    program, *arguments = line.split()
    found = find_inner_command(program, arguments)
    assert (found and " ".join(found[0])) == inner


def test_assignments_before_an_inner_command_are_its_variables_and_no_words() -> None:
    assert find_inner_command("env", ["A=1", "B=", "x", "C=2"]) == (
        ["x", "C=2"],
        {"A": "1", "B": ""},
    )
    for path in ("./a=b", "/a=b", "-a=b"):
        assert find_inner_command("env", ["--", path]) == ([path], {})
    assert find_inner_command("env", ["A=1"]) is None


def test_interpreters_ssh_and_find_are_read_by_their_own_forms() -> None:
    assert is_interpreter("python3")
    assert not is_interpreter("sudo")
    assert split_ssh_arguments(["-p", "22", "-A", "host", "-t", "ls", "-l"]) == (
        "host",
        ["ls", "-l"],
    )
    assert split_ssh_arguments(["-p", "22"]) == ("", [])
    assert list_searched_paths(["a/", "b", "-name", "*.c", "-o", "-iname", "d", "e"]) == [
        "a/*.c",
        "b/*.c",
    ]
    assert list_searched_paths(["-type", "f"]) == ["."]
