"""What one turn with a character asks of the server: few statements, and no read twice."""

from postgres_wire import Wire

from gieok.character.turn.turn import Turns, UserTurn

#: What a usual turn sends: one that says nothing new. Each kind is a verb and a table.
_KINDS = {
    # who talks: the user's own character and account, the service's character
    "SELECT characters": 1,
    "SELECT users": 1 + 2,  # and locks of the user's row
    # the points are held
    "INSERT holds": 1,
    "UPDATE users": 1 + 1,  # and charged
    # what is known of the scope, under one lock, the message, and how far was learned
    "advisory lock": 1,
    "SELECT scopes": 1 + 2,  # and the lock for the reply, and counts of words
    "SELECT positions": 1,
    "SELECT made": 1,
    "SELECT messages": 1,
    "INSERT messages": 1 + 1,  # and the reply
    "INSERT positions": 1,
    # the search
    "SELECT models": 1,
    "WITH unnest": 1,
    # the points are charged
    "INSERT ledger": 1,
    "DELETE holds": 1,
}
_TRANSACTIONS, _ROUND_TRIPS = 6, 11


def test_a_turn_sends_few_statements_in_few_round_trips(turns: Turns, wire: Wire) -> None:
    wire.clear()
    text = "".join(part.text for part in turns.begin(UserTurn("kim", "mina", "내 생일 언제지?")))
    assert text == "그래."
    assert dict(wire.kinds) == _KINDS
    assert (wire.transactions, wire.round_trips) == (_TRANSACTIONS, _ROUND_TRIPS)


def test_what_people_say_and_how_they_are_called_is_never_in_a_statement(
    turns: Turns, wire: Wire
) -> None:
    # A server writes the text of a statement that fails to its log.
    wire.clear()
    said = ("회색 코끼리가 온다", "내 생일은 4월 2일이야", "코끼리 어디 갔지?")
    for text in said:
        assert list(turns.begin(UserTurn("kim", "mina", text)))
    turns.tending.tend(turns.scene("kim", "mina").bond)
    assert wire.statements
    private = ("코끼리", "4월", "그래.", "생일", "kim", "mina", "reply:", "birthday")
    assert [one for one in wire.sent if any(word in one for word in private)] == []


def test_learning_beside_a_turn_takes_few_round_trips(turns: Turns, wire: Wire) -> None:
    bond = turns.scene("kim", "mina").bond
    turns.tending.tend(bond)
    list(turns.begin(UserTurn("kim", "mina", "내 생일 언제지?")))
    wire.clear()
    turns.tending.tend(bond)
    assert (wire.transactions, wire.round_trips, len(wire.statements)) == (4, 10, 8)
