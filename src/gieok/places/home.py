"""Home folder of Gieok, and those files in it that several modules know."""

import os
import zlib

from gieok.places.scope import USER_SCOPE

HOME_VARIABLE = "GIEOK_HOME"
#: Set for the MCP server of a package: the folder in which it starts is not the user's.
ROOTS_VARIABLE = "GIEOK_MCP_ROOTS"
#: The folder that marks a project, and holds Gieok's files for it.
PROJECT_FOLDER = ".gieok"
#: Folder of the records that stand, in a folder that holds records.
SHELF = "memory"
#: A file in the home folder, there since `gieok down` until `gieok up` or `gieok install`: somebody
#: wants no daemon.
DAEMON_DOWN = "daemon.down"
#: Environment variable of an agent's command that Gieok calls as a model: the agent's hooks stay
#: silent.
OWN_RUN = "GIEOK_OWN_RUN"
#: A row of `replaced_file`: the claim (key, line, place, length, checksum), the claim that holds
#: instead (scope, key, line, place, length, checksum), and since when.
CLAIM_FIELDS = 12
#: Folder in the home with the records of scopes that programs made, one subfolder each.
_OWN_SCOPES = "scopes"


def build_home_path() -> str:
    """Return the absolute path of Gieok's home folder; it may not exist yet."""
    return os.path.abspath(
        os.path.expanduser(os.environ.get(HOME_VARIABLE) or os.path.join("~", PROJECT_FOLDER))
    )


def own_folders() -> set[str]:
    """Return the real paths of `.gieok` folders that hold the user's own memory.

    These folders mark no project.
    """
    return {
        os.path.realpath(build_home_path()),
        os.path.realpath(os.path.expanduser(os.path.join("~", PROJECT_FOLDER))),
    }


def build_active_memory_path(home: str, scope: str) -> str:
    """Return the default file of a scope's active memory; the user's own has the plain name."""
    suffix = "" if scope == USER_SCOPE else "-" + "".join(c if c.isalnum() else "-" for c in scope)
    return os.path.join(home, f"active_memory{suffix}.md")


def scope_folder(scope: str) -> str:
    """Return the folder name of a scope, legal on every system.

    The name is the scope's readable text and a checksum, because the readable texts of many scopes
    are alike.
    """
    name = "".join(c if c.isalnum() else "-" for c in scope)[:60]
    return (
        name
        if scope == USER_SCOPE
        else f"{name}-{zlib.crc32(scope.encode('utf-8', 'surrogateescape')):08x}"
    )


def records_folder(home: str, scope: str) -> str:
    """Return the folder of the records of a scope that a program made.

    Such a scope is neither the user's own nor a project's.
    """
    return os.path.join(home, _OWN_SCOPES, scope_folder(scope))


def is_records_folder(home: str, folder: str) -> bool:
    """Return whether a folder holds records of the user, of a project, or of a program's scope."""
    is_programs = os.path.dirname(folder) == os.path.join(home, _OWN_SCOPES)
    return folder == home or is_programs or os.path.basename(folder) == PROJECT_FOLDER


def is_shelf_folder(home: str, folder: str) -> bool:
    """Return whether the files of a folder are records that stand."""
    above, name = os.path.split(folder)
    return name == SHELF and is_records_folder(home, above)


#: Ending of the files of what the reader takes for rules.
_READINGS = ".read"


def lasting_file(home: str, scope: str) -> str:
    """Return the file that names the turns of a scope that state something lasting."""
    return os.path.join(home, "lasting", f"{_checksum_scope(scope)}.json")


def rules_file(home: str, scope: str) -> str:
    """Return the file that names the turns of a scope in which the user states binding rules."""
    return os.path.join(home, "lasting", f"{_checksum_scope(scope)}.rules")


def build_readings_file(home: str, scope: str) -> str:
    """Return the file of what the reader takes for rules in the turns of a scope."""
    return f"{lasting_file(home, scope)}{_READINGS}"


def list_readings_files(home: str) -> list[str]:
    """Return the files of what the reader takes for rules, of all scopes."""
    folder = os.path.join(home, "lasting")
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names if name.endswith(_READINGS)]


def build_set_aside_path(home: str) -> str:
    """Return the folder that damaged files are moved to."""
    return os.path.join(home, "set-aside")


def build_unfollowed_path(home: str) -> str:
    """Return the folder of marks of record folders that changed and that the index is behind of."""
    return os.path.join(home, "unfollowed")


def daemon_address_file(home: str) -> str:
    """Return the file that says where a daemon answers; there while one runs."""
    return os.path.join(home, "daemon.json")


def gate_rules_file(home: str) -> str:
    """Return the file of the rules about actions that hold, as gates compare them."""
    return os.path.join(home, "gates", "rules.json")


def gate_actions_file(home: str) -> str:
    """Return the file of the actions that rules stopped last."""
    return os.path.join(home, "gates", "judged.json")


def gate_late_file(home: str) -> str:
    """Return the file that has a byte for each time that no sense of a rule was read in time."""
    return os.path.join(home, "gates", "late")


def gate_choices_file(home: str) -> str:
    """Return the file of what a person chose for rules about actions: off, an end, once allowed."""
    return os.path.join(home, "gates", "choices.json")


def action_folder(home: str) -> str:
    """Return the folder of what is known for the moment of an action."""
    return os.path.join(home, "action")


def action_file(home: str, scope: str) -> str:
    """Return the file of what a scope knows for the moment of an action."""
    return os.path.join(action_folder(home), f"{_checksum_scope(scope)}.json")


def list_action_files(home: str, scope: str) -> list[str]:
    """Return the files of a scope for the moment of an action: what the hook reads, and behind it
    what each document gave.
    """
    stem = action_file(home, scope).removesuffix(".json")
    return [f"{stem}{ending}" for ending in (".json", ".named")]


def has_action_files(home: str) -> bool:
    """Return whether anything is known for the moment of an action."""
    try:
        return any(name.endswith(".json") for name in os.listdir(action_folder(home)))
    except OSError:
        return False


def replaced_file(home: str, scope: str) -> str:
    """Return the file that names the claims of a scope that no longer hold."""
    return os.path.join(home, "lasting", f"{_checksum_scope(scope)}.replaced")


def later_file(home: str, scope: str) -> str:
    """Return the file that names the claims of a scope on whose subject something was said later.

    Its rows are those of `replaced_file`.
    """
    return os.path.join(home, "lasting", f"{_checksum_scope(scope)}.later")


def _checksum_scope(scope: str) -> str:
    data = scope.encode("utf-8", "surrogateescape")
    return f"{zlib.crc32(data):08x}{zlib.adler32(data):08x}"


def projects_file(home: str) -> str:
    """Return the file of known project folders, written by `gieok.projects`."""
    return os.path.join(home, "projects.json")


def private_file(home: str) -> str:
    """Return the path of `.env`, the file of secrets that supplements the environment."""
    return os.path.join(home, ".env")
