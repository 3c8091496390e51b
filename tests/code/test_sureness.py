"""What `code query` says of how likely an answer is right, and where nothing answers."""

from collections.abc import Callable, Mapping

import pytest

from gieok.code.ask.query import search_symbols
from gieok.code.ask.sureness import (
    AnswerEvidence,
    has_chance,
    is_any_likely,
    is_as_good_as_none,
    rate_sureness,
)
from gieok.code.index.graph import Certainty
from gieok.code.index.project import Project

Make = Callable[[Mapping[str, str]], Project]

_SHOP = {
    "shop/cart.py": '"""Cart of a customer."""\n\n\nclass Cart:\n'
    '    """Items that a customer wants to buy."""\n\n'
    "    def add_item(self, item, count):\n"
    '        """Add an item to the cart."""\n        self.items.append((item, count))\n\n'
    "    def total_price(self):\n"
    '        """Return the sum of the prices of all items, with discounts."""\n'
    "        return sum(item.price * count for item, count in self.items)\n",
    "shop/payment.py": '"""Payment by card."""\n\n\ndef charge_card(card, amount):\n'
    '    """Charge a card, and retry where the bank times out."""\n'
    "    for attempt in range(3):\n        if bank.charge(card, amount):\n"
    "            return True\n    return False\n\n\n"
    "def refund_payment(payment):\n"
    '    """Give the money of a payment back."""\n    return bank.refund(payment.id)\n',
    "shop/mail.py": '"""Letters to customers."""\n\n\ndef send_receipt(customer, cart):\n'
    '    """Send a receipt by mail."""\n    smtp.send(customer.address, render(cart))\n\n\n'
    "def render(cart):\n"
    '    """Render a cart as text of a letter."""\n    return str(cart)\n',
    "shop/stock.py": '"""Stock of the warehouse."""\n\n\ndef reserve_stock(item, count):\n'
    '    """Reserve items in the warehouse until the order is paid."""\n'
    "    warehouse.reserve(item, count)\n",
}


@pytest.mark.parametrize(
    ("question", "symbol"),
    [
        ("add an item to the cart", "Cart.add_item"),
        ("total price of the cart", "Cart.total_price"),
        ("charge a card", "charge_card"),
        ("where is a payment refunded", "refund_payment"),
        ("send a receipt by mail", "send_receipt"),
        ("reserve items in the warehouse", "reserve_stock"),
        ("render a cart as text", "render"),
        ("charge the card again and retry", "charge_card"),
        ("Cart.total_price", "Cart.total_price"),
        ("reserve_stock", "reserve_stock"),
    ],
)
def test_a_right_answer_is_likely(indexed: Make, question: str, symbol: str) -> None:
    found = search_symbols(indexed(_SHOP), None, question, 5)
    by_name = {answer.symbol.qualified: answer for answer in found.answers}
    assert found.answers[0].symbol.qualified == symbol
    assert not is_as_good_as_none(by_name[symbol].sureness)


def test_what_has_hardly_a_chance_is_not_shown_beside_the_nearest(indexed: Make) -> None:
    made = indexed(
        _SHOP
        | {
            f"shop/part_{number}.py": f"def part_{number}(cart):\n    return {number}\n"
            for number in range(9)
        }
    )
    found = search_symbols(made, None, "add an item to the cart", 10, expand=False).answers
    assert len(found) < 10
    assert all(has_chance(answer.sureness) for answer in found[1:])
    (nearest, *others) = search_symbols(made, None, "the moon and one part", 10).answers
    assert not [answer for answer in others if 0 < answer.sureness < 0.04]
    assert nearest.symbol.path


@pytest.mark.parametrize(
    "question",
    [
        "how to bake a chocolate cake",
        "zzzqqq",
        "time zone of a meeting in the calendar",
        "train a neural network on images",
        "who is allowed to see the page of an administrator",
        "an address of a node in the cluster of machines",
        "sum of two matrices on a graphics processor",
        "add a column to a table of the database schema",
        "give me the weather forecast of the week",
        "where is the websocket handshake",
    ],
)
def test_what_stands_nowhere_has_no_likely_answer(indexed: Make, question: str) -> None:
    found = search_symbols(indexed(_SHOP), None, question, 5)
    assert all(is_as_good_as_none(answer.sureness) for answer in found.answers)


def test_a_name_alone_is_sure_and_a_neighbour_answers_nothing_by_itself(indexed: Make) -> None:
    found = search_symbols(indexed(_SHOP), None, "send_receipt", 5)
    assert found.answers[0].sureness > 0.95
    beside = [answer for answer in found.answers if answer.why.startswith("next to")]
    assert [answer.symbol.qualified for answer in beside] == ["render"]
    assert beside[0].sureness == 0


def test_every_piece_of_evidence_makes_an_answer_likelier() -> None:
    for cosine in (None, 0.4):
        least = AnswerEvidence(0.1, 0.1, 0.1, False, cosine)
        base = rate_sureness(least)
        more = [
            least._replace(words=0.5),
            least._replace(path=0.5),
            least._replace(name=0.5),
            least._replace(is_named=True),
        ]
        assert all(rate_sureness(evidence) > base for evidence in more)
    near = [rate_sureness(AnswerEvidence(0.3, 0.1, 0.1, False, c)) for c in (-0.2, 0.0, 0.3, 0.8)]
    assert near == sorted(near)
    assert near[0] == near[1]


def test_a_name_alone_makes_no_answer_sure_whose_text_holds_nothing_of_the_question() -> None:
    by_name = AnswerEvidence(words=0.036, path=0.2, name=0.67, is_named=False, cosine=None)
    assert is_as_good_as_none(rate_sureness(by_name))
    assert not is_as_good_as_none(rate_sureness(by_name._replace(words=0.4)))
    assert not is_as_good_as_none(rate_sureness(by_name._replace(is_named=True)))


def _say_full(*names: str) -> str:
    """Return functions that say one and the same message."""
    return "\n\n".join(
        f'def {name}(shelf):\n    raise ValueError("The shelf {{shelf}} has no room for that")\n'
        for name in names
    )


@pytest.mark.parametrize(
    "question",
    ["The shelf B4 has no room for that", "ValueError: The shelf B4 has no room for that"],
)
def test_equals_that_hold_one_message_share_what_is_sure(indexed: Make, question: str) -> None:
    files = {
        "store/put.py": _say_full("put", "put_back"),
        "store/move.py": _say_full("move", "swap"),
    }
    found = search_symbols(indexed(files), None, question, 5, expand=False).answers
    equals = [answer for answer in found if answer.why == "message"]
    assert sorted(answer.symbol.name for answer in equals) == ["move", "put", "put_back", "swap"]
    assert all(answer.sureness <= 0.95 / 4 for answer in equals)
    # One of them is right, so that the answers as a whole are not called unsure.
    assert is_any_likely([answer.sureness for answer in equals], [])


def test_a_test_that_repeats_a_message_takes_nothing_from_the_code_that_says_it(
    indexed: Make,
) -> None:
    files = {
        "store/put.py": _say_full("put"),
        "tests/test_put.py": _say_full("test_put", "test_full"),
    }
    found = search_symbols(indexed(files), None, "The shelf B4 has no room for that", 5).answers
    by_name = {answer.symbol.name: answer.sureness for answer in found}
    assert by_name["put"] == 0.95
    assert by_name["test_put"] <= 0.95 / 3


def test_stores_hold_the_certainty_of_an_edge_as_a_number_that_stays() -> None:
    assert [(one.name, int(one)) for one in Certainty] == [
        ("OBSERVED", 0),
        ("RESOLVED", 1),
        ("UNIQUE_NAME", 2),
        ("AMBIGUOUS", 3),
        ("IMPORT", 4),
    ]
