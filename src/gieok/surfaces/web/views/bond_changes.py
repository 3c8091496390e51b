"""Changes of what a character remembers of a user, from the forms of pages.

The owner's pages and those of a user of the service have the same forms.
"""

from typing import NamedTuple, Protocol

from gieok.character.house import House
from gieok.character.memory import memory_pages
from gieok.character.memory.decisions import MemoryEdit
from gieok.character.memory.service import Bond


class SentForm(Protocol):
    """Form that a reader sent, and the reader's language."""

    def sent(self, name: str) -> str:
        """Return a field of the form; '' for none."""

    def words(self, template: str, about: str = "", plural: str = "", **values: object) -> str:
        """Return a message in the reader's language."""


class BondChange(NamedTuple):
    """What the next page says of a change, and the name by which it is undone ('': it is not)."""

    notice: str
    undo: str = ""


def forget_bond_memory(form: SentForm, house: House, bond: Bond) -> BondChange:
    """Forget a memory."""
    result = house.control.delete(bond, form.sent("key"))
    again = form.words(" {holds_again} hold again.", holds_again=len(result.holds_again))
    return BondChange(form.words("Forgotten.") + (again if result.holds_again else ""), result.undo)


def correct_bond_memory(form: SentForm, house: House, bond: Bond) -> BondChange:
    """Correct a memory, or mark it as important."""
    key, text = form.sent("key"), form.sent("text")
    if mark := form.sent("important"):
        result = house.control.mark(bond, key, is_important=mark == "yes")
        return BondChange(form.words("Marked."), result.undo)
    is_fact = house.control.read(bond, key).memory.layer in (
        memory_pages.Layer.SEMANTIC,
        memory_pages.Layer.IDEAS,
    )
    edit = _read_fact_fields(form) if is_fact else MemoryEdit(text=text)
    result = house.control.edit(bond, key, edit)
    return BondChange(form.words("Corrected."), result.undo)


def add_bond_fact(form: SentForm, house: House, bond: Bond) -> BondChange:
    """Add a fact that the user states."""
    result = house.control.add(bond, _read_fact_fields(form))
    return BondChange(form.words("Added."), result.undo)


def _read_fact_fields(form: SentForm) -> MemoryEdit:
    """Return the values of a fact that a form sent."""
    return MemoryEdit(
        object=form.sent("text"),
        day=form.sent("day") if form.sent("has_day") else None,
        subject=form.sent("subject").strip() or None,
        predicate=form.sent("predicate") or None,
    )


def undo_bond_change(form: SentForm, house: House, bond: Bond) -> BondChange:
    """Undo a change."""
    house.control.undo(bond, form.sent("undo"))
    return BondChange(form.words("Taken back."))


def give_days_points(form: SentForm, house: House, user: str) -> BondChange:
    """Check in for today."""
    result = house.points.check_in(user)
    if not result.is_new:
        return BondChange(form.words("Checked in already."))
    return BondChange(
        form.words(
            "{points} points; {days} days in a row.", points=result.given, days=result.streak
        )
    )
