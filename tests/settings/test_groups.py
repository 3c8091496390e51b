"""Groups of settings."""

from gieok.settings.groups import GROUPS, find_setting_group, group_settings
from gieok.settings.table import OPTIONS


def test_each_setting_is_in_one_group_and_each_group_holds_some() -> None:
    names = [option.name for option in OPTIONS]
    grouped = group_settings(names)
    assert [group for group, _ in grouped] == list(GROUPS)
    assert sorted(name for _, part in grouped for name in part) == sorted(names)


def test_the_longest_beginning_decides_and_a_name_is_no_beginning_of_another_word() -> None:
    reads, remembers = find_setting_group("observe.agents"), find_setting_group("observe.model")
    assert reads
    assert remembers
    assert reads.heading.en == "What Gieok reads"
    assert remembers.heading.en == "What is remembered by itself"
    assert find_setting_group("observe.notes_target") is reads
    assert find_setting_group("storey") is None
    assert [group for group, _ in group_settings(["nothing.such", "lang"])][-1] is None
