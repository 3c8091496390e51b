"""Work in the background waits for a prompt, and no prompt for itself."""

import threading

from gieok.precedence import Precedence


def test_work_waits_until_the_prompt_is_answered() -> None:
    gate, order = Precedence(longest_s=60), []
    begun = threading.Event()

    def work() -> None:
        begun.set()
        assert gate.give_way()
        order.append("work")

    with gate.answering():
        thread = threading.Thread(target=work)
        thread.start()
        begun.wait(60)
        order.append("prompt")
    thread.join(60)
    assert order == ["prompt", "work"]


def test_nobody_waits_where_no_prompt_does() -> None:
    gate = Precedence(longest_s=60)
    assert not gate.give_way()
    with gate.answering():
        assert not gate.give_way()  # the prompt's own thread embeds too
    assert not gate.give_way()


def test_a_prompt_that_hangs_does_not_stop_the_work_for_good() -> None:
    gate, done = Precedence(longest_s=0.0), threading.Event()
    with gate.answering():
        thread = threading.Thread(target=lambda: (gate.give_way(), done.set()))
        thread.start()
        thread.join(60)
    assert done.is_set()
