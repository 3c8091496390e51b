"""A question that quotes a message is told by the string that the code has for it."""

from collections.abc import Callable, Mapping

import pytest

from gieok.code.ask.query import search_symbols
from gieok.code.ask.quotes import QuotedMessage
from gieok.code.index.project import Project

Make = Callable[[Mapping[str, str]], Project]


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("Error acquiring lock", 'raise LockError("Error acquiring lock")'),
        ("error: acquiring lock nightly failed", 'f"acquiring lock {name} failed"'),
        ("cannot read file a.yml: not found", '"cannot read file %s: %v", path, err'),
        (
            "Unexpected Tag token [<p>] when in state [Text]",
            '"Unexpected %s token [%s] when in state [%s]"',
        ),
        (
            "recipe `a` failed on line 3 with code 1",
            '"recipe `{recipe}` failed on line {n} with code {code}"',
        ),
        ("key price missing in cart", "`key ${key} missing in cart`"),
        ("not contain a dot", "'name may not contain a dot.'"),  # part of a message
    ],
)
def test_a_message_is_found_with_its_places_filled(question: str, code: str) -> None:
    assert QuotedMessage(question).stands_in(code)


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("acquire lock", '"acquire lock"'),  # two words stand anywhere
        ("where is the lock acquired", '"error acquiring lock"'),
        ("lock acquiring error", '"Error acquiring lock"'),
        ("error acquiring lock", "error = acquiring(lock)"),
        ("state of the token when in use", '"Unexpected %s token [%s] when in state [%s]"'),
    ],
)
def test_other_words_quote_nothing(question: str, code: str) -> None:
    assert not QuotedMessage(question).stands_in(code)


def test_the_function_that_says_a_short_message_comes_first(indexed: Make) -> None:
    made = indexed(
        {
            "lock.py": "class Lock:\n    def acquire(self, error):\n"
            '        """Acquire the lock, or an error."""\n        return self.take(error)\n',
            "store.py": "def open_store(path):\n    if not path:\n"
            "        raise OSError(f'error acquiring lock {path}')\n    return path\n",
        }
    )
    first = search_symbols(made, None, "Error acquiring lock /tmp/a", 3).answers[0]
    assert (first.symbol.name, first.sureness) == ("open_store", 0.95)
