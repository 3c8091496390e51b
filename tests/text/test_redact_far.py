"""Secrets that are told further from their noun: how far, and what else stands there.

Brackets stand around what is cut of a row; a row without them stays as it is.
"""

import re

from row_tables import for_each_row

from gieok.text.redact import redact

_ENGLISH = [
    # Letters, digits and signs of a value.
    "about the login: it's ⟦Otter2017⟧",
    "about the login: it's ⟦Otter17⟧",
    "about the login: it's Ottersea7",
    "about the login: it's Seas17",
    "about the login: it's 2017Otter",
    "about the login: it's otter_17",
    "about the login: it's otters-17",
    "about the login: it's ⟦otters17⟧",
    "about the login: it's otte17",
    "about the login: it's ⟦Otter7sea⟧",
    "about the login: it's ⟦otter7sea⟧",
    "about the login: it's 0a1b2c3d4e",
    "about the login: it's OPS-12345",
    "about the login: it's kim.otter12",
    "about the login: it's kim@otter17.example",
    "about the login: it's HomeNet_2.4G",
    "about the login: it's ⟦O7tter#⟧",
    "about the login: it's O7#777",
    "about the login: it's ⟦Ot7#er⟧",
    "about the login: it's Otters#",
    # A blank line ends the paragraph; a list goes on behind it.
    "about the login:\nit's ⟦Otter2017⟧",
    "about the login:\n\nit's Otter2017",
    "backup codes:\n\n- ⟦9d2f1-50ace⟧",
    # Numbers that open something.
    "keypad by the dock: ⟦5190#⟧ then push",
    "keypad by the dock: 2019, then push",
    "keypad by the dock: ⟦5191⟧, then push",
    "keypad by the dock: 5555, then push",
    "keypad by the dock: ⟦5151⟧, then push",
    # Papers.
    "IBAN ⟦NL91TULP0417164301⟧",
    "IBAN ⟦NL91TULP0BCDEF43⟧",
    "IBAN NL91TULPABCDEF3X",
    # Codes.
    "recovery codes, here: ⟦7c1fe-b90d2⟧ ok",
    "recovery codes 어디 있지? 여기 node1-b90d22 있어",
    "recovery codes 어디 있지? 여기 node-1234 있어",
    "recovery codes, here: ⟦7c1fe-abcde⟧ ok",
    "recovery codes 어디 있지? 여기 ⟦abcde-1fghi⟧ 있어",
    # Former ones.
    "the password was not ⟦mandu-guksu⟧ any more",
    "the password was not user-name any more",
    "the password was not case-sensitive any more",
    "the password was not needed any more",
    "the password was not ⟦plum-tree-moon⟧ any more",
    # Words that are agreed.
    "the safe word is ⟦nutmeg⟧.",
    "the safe word is nutmeg required.",
    # Keys.
    "the secret key below\nwJ5qvLq1ZmXbpWcRkbsYba",
    "the secret key below\n⟦wJ5qvLq1ZmXbpWc2RkbsY3ba⟧",
    "the secret key below\n0a1b2c3d4e5f60718293a4b5",
    "the secret key below\ncontinuation-of-the-1234-token",
    # Compared, and behind a user.
    'a = input("password"); if a == "⟦otter-7⟧": go()',
    'a = input("password"); if a == "⟦plum-tree-moon⟧": go()',
    'a = input("password"); if a == "⟦달빛아래⟧": go()',
    'a = input("password"); if a == "plum tree": go()',
    "I log in as elastic with ⟦otter-7x⟧, ok",
    "I log in as elastic with KerberosV5, ok",
    "I log in as elastic with ⟦plum-tree-moon⟧, ok",
    "I log in as elastic with plum-tree, ok",
    "login failed for kim/⟦BlueGate7⟧",
    "login failed for kim/host:8080",
]
_KOREAN = [
    "와이파이 비번 까먹었지? 지금은 ⟦tteok7942⟧야.",
    "와이파이 비번 까먹었지? 지금은 ⟦수달뗏목23⟧이야",
    "와이파이 비번 까먹었지? 지금은 수달뗏목7이야",
    "와이파이 비번 까먹었지? 지금은 ⟦수달뗏목7!⟧이야",
    "와이파이 비번 까먹었지? 지금은 수달뗏목!이야",
    "와이파이 비번 까먹었지? 지금은 달님-777이야",
    "와이파이 비번 까먹었지? 지금은 ⟦달별님-7⟧이야",
    "와이파이 비번 까먹었지? 지금은 60%수달뗏목이야",
    "와이파이 비번 까먹었지? 지금은 수달,뗏목23이야",
    "와이파이 비번 까먹었지? 지금은 수달뗏목23명이야",
    "농협 통장 ⟦351-0722-916⟧",
    "농협 통장 35-0722-916",
    "농협 통장 ⟦351072-0722916-283⟧",
    "농협 통장 351072-0722916-2834",
    "농협 통장 010-1234-5678",
    "농협 통장 2024-05-01-1234",
    "농협 통장 ⟦35107229⟧",
    "뒷문 도어락은 ⟦58213⟧ 누르면",
    "뒷문 도어락은 2013 누르면",
    "뒷문 도어락은 55555 누르면",
    "뒷문 도어락은 ⟦5858⟧ 누르면",
]
#: A topic, what is told last, the secret of it, and the characters from the first sign of the topic
#: within which the secret has to begin.
_REACHES = [
    ("driving licence", " BRONT702184E99KD", "BRONT702184E99KD", 260),
    ("card", " security code 417", "417", 260),
    ("my iban", " NL91TULP0417164301", "NL91TULP0417164301", 63),
    ("safe word", ". The word is nutmeg", "nutmeg", 60),
    ("password", " was not mandu-guksu any more", "mandu-guksu", 120),
    ("sso", ". So it's Otter2017", "Otter2017", 330),
    ("backup codes", "\n- 9d2f1-50ace", "9d2f1-50ace", 500),
]


@for_each_row([*_ENGLISH, *_KOREAN])
def test_what_is_told_later_is_cut_and_all_else_stays(row: str) -> None:
    clean = redact(re.sub("[⟦⟧]", "", row))
    assert re.sub(r"\[redacted:[a-z-]+\]", "⟦⟧", clean) == re.sub("⟦[^⟧]*⟧", "⟦⟧", row)


@for_each_row(_REACHES)
def test_a_value_that_begins_within_the_reach_of_its_topic_is_cut_whole(
    topic: str, told: str, secret: str, reach: int
) -> None:
    fill = ("ho " * reach)[: reach - 1 - len(topic) - 1 - told.index(secret)]
    assert redact(f"{topic} {fill}{told}").count("[redacted:") == 1
    assert secret not in redact(f"{topic} {fill}{told}")
    assert redact(f"{topic} {fill}o{told}") == f"{topic} {fill}o{told}"
