"""What a validation asks for: a deeper look, where the quality is low or validations keep failing."""

from gieok.code.deepen.escalation import reasons_of_validation
from gieok.code.model.tuning import EscalationRules

_FAILED, _DONE = {"status": "failed"}, {"status": "done"}


def test_three_validations_in_a_row_that_fail_ask_for_a_deeper_look() -> None:
    rules = EscalationRules(quality=0)
    assert reasons_of_validation(rules, 50, [_FAILED, _FAILED, _DONE, _FAILED, _FAILED]) == []
    assert reasons_of_validation(rules, 50, [_DONE, _FAILED, _FAILED, _FAILED]) == [
        "3 validations in a row failed"
    ]


def test_another_count_of_failed_validations_is_a_setting_and_0_is_off() -> None:
    two = EscalationRules(quality=0, failed_validations=2)
    assert reasons_of_validation(two, 50, [_FAILED, _FAILED]) == ["2 validations in a row failed"]
    off = EscalationRules(quality=0, failed_validations=0)
    assert reasons_of_validation(off, 50, [_FAILED] * 5) == []


def test_a_low_quality_asks_for_a_deeper_look_at_once() -> None:
    assert reasons_of_validation(EscalationRules(), 79, []) == ["quality 79 is below 80"]
    assert reasons_of_validation(EscalationRules(), 80, []) == []
