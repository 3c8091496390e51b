"""In which language a person reads: `--lang`, else GIEOK_LANG, else the locale. Korean or English."""

from collections.abc import Mapping, Sequence

_KNOWN = ("en", "ko")


def language(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return `ko` or `en`. Read before the arguments are parsed, because `--help` is text too."""
    for before, argument in zip(["", *arguments], arguments, strict=False):
        flag, _, value = argument.partition("=")
        if flag == "--lang" and value in _KNOWN:
            return value
        if before == "--lang" and argument in _KNOWN:
            return argument
    configured = environment.get("GIEOK_LANG", "")
    if configured in _KNOWN:
        return configured
    locale = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    return "ko" if locale.lower().startswith("ko") else "en"
