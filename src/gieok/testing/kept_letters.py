"""Letters that are kept instead of sent."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class KeptLetters:
    """`Letters` for tests.

    `sent` holds address, title and text of each letter. Where `raises` is set, that error is
    raised, before the letter is kept or, with `is_after`, after.
    """

    sent: list[tuple[str, str, str]] = field(default_factory=list)
    raises: type[BaseException] | None = None
    is_after: bool = False

    def send(self, address: str, title: str, text: str) -> str:
        """Keep a letter."""
        if self.raises and not self.is_after:
            raise self.raises("no")
        self.sent.append((address, title, text))
        if self.raises:
            raise self.raises("no")
        return "sent"
