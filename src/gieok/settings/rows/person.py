"""Settings of the person: language, scope, time zone."""

from gieok.places.scope import SCOPE_PATTERN
from gieok.settings.hook import ZONE
from gieok.settings.option import Option
from gieok.text.catalogues import list_languages

OPTIONS = (
    Option(
        "lang",
        "auto",
        "language of what a person reads: auto, en or ko",
        choices=("auto", *list_languages()),
    ),
    Option(
        "scope",
        "auto",
        "whose memory is used; auto: the project's if the folder has a `.gieok`, else yours",
        pattern=f"auto|{SCOPE_PATTERN}",
    ),
    ZONE,
)
