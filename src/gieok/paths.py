"""Where Gieok keeps its files (`gieok.places`, as paths).

`GIEOK_HOME` replaces `~/.gieok`.
"""

from pathlib import Path

from gieok.places.home import (
    build_active_memory_path,
    build_home_path,
    build_set_aside_path,
    scope_folder,
)


def locate_home() -> Path:
    """Return Gieok's home folder; it may not exist yet."""
    return Path(build_home_path())


def locate_database(root: Path) -> Path:
    """Return the default store's file under the home folder `root`."""
    return root / "memory.sqlite"


def locate_journal(root: Path) -> Path:
    """Return the journal's file: raw messages, and the state of what is made of them."""
    return root / "journal.sqlite"


def locate_notes_record(root: Path) -> Path:
    """Return the record of the user's notes that were mirrored."""
    return root / "notes.json"


def locate_tools_record(root: Path) -> Path:
    """Return the file of fingerprints of the tools for models."""
    return root / "tools.json"


def locate_spool(root: Path) -> Path:
    """Return the folder where hooks leave events for the sidecar."""
    return root / "spool"


def locate_active_memory(root: Path, scope: str) -> Path:
    """Return where active memory of a scope is written unless it is configured."""
    return Path(build_active_memory_path(str(root), scope))


def locate_warm_folder(root: Path, scope: str) -> Path:
    """Return the folder of a scope's warm archive files, `archive/warm/agent-main`.

    Two levels down, because `archive/<category>` holds a person's archived records.
    """
    return root / "archive" / "warm" / scope_folder(scope)


def locate_set_aside(root: Path) -> Path:
    """Return the folder that damaged files are moved to."""
    return Path(build_set_aside_path(str(root)))


def locate_daemon_log(root: Path) -> Path:
    """Return the daemon's log."""
    return root / "daemon.log"


def locate_notices_record(root: Path) -> Path:
    """Return the path of the record of notification channels that failed, with their errors."""
    return root / "notices.json"


def locate_models(root: Path) -> Path:
    """Return the folder that holds converted models."""
    return root / "models"


def locate_user_config(root: Path) -> Path:
    """Return the user's configuration file."""
    return root / "config.yaml"


def locate_secrets_file(root: Path) -> Path:
    """Return the file of secrets, which stands in for environment variables."""
    return root / ".env"


def locate_owner_token(root: Path) -> Path:
    """Return the file of the token that the server knows the home's owner by."""
    return root / "serve.token"


def locate_server_record(root: Path) -> Path:
    """Return the record of where the server listens."""
    return root / "serve.json"


def locate_service_recording(root: Path) -> Path:
    """Return the recording of the last trial of a managed store."""
    return root / "logs" / "file-search.json"


def locate_server_log(root: Path) -> Path:
    """Return the log of a server that `gieok open` started."""
    return root / "serve.log"


def locate_backups(root: Path) -> Path:
    """Return the default folder of backups: beside the home, which may be replaced or removed."""
    return root.with_name(f"{root.name}-backups")


def locate_encryption_record(root: Path) -> Path:
    """Return the file on what is encrypted, for whom, and where the key is; it holds no secret."""
    return root / "encryption.json"


def locate_sync_folder(root: Path) -> Path:
    """Return the folder of what synchronisation of devices keeps: where it goes, what waits."""
    return root / "sync"


def locate_sync_key(root: Path) -> Path:
    """Return the file of the keys that all synchronised devices have."""
    return root / "keys" / "sync.txt"


def locate_device_key(root: Path) -> Path:
    """Return the file of the key that this device alone has, by which it is given new keys."""
    return root / "keys" / "sync-device.txt"


def locate_encryption_key(root: Path) -> Path:
    """Return the default file of the encryption key."""
    return root / "keys" / "age.txt"
