"""Table of all commands, in the order of the help; surfaces loop over the table.

A test checks that each command is in the table, on its surfaces and in the docs. Each row imports
when it is asked for, so that a command loads its own module and not its siblings: a cold keyword
search has 80 ms for everything.
"""

from typing import Any

from gieok.commands.command import Command

#: The names of all commands, in the order of the help.
NAMES = (
    "setup",
    "pause",
    "resume",
    "index",
    "search",
    "list",
    "get",
    "status",
    "remember",
    "retire",
    "restore",
    "edit",
    "history",
    "transfer",
    "forget",
    "trust",
    "install",
    "recall",
    "rules list",
    "rules try",
    "rules on",
    "rules off",
    "rules until",
    "rules allow",
    "hook measure",
    "hook stats",
    "hook injections",
    "hook refuse",
    "import",
    "export",
    "move",
    "sync init",
    "sync run",
    "sync status",
    "sync devices",
    "sync key",
    "sync rotate",
    "uninstall",
    "erase",
    "code init",
    "code query",
    "code explore",
    "code show",
    "code impact",
    "code sync",
    "code coverage",
    "code watch",
    "code install-hook",
    "code validate",
    "code escalate",
    "code estimate",
    "code status",
    "code stats",
    "code export",
    "ask",
    "character create",
    "character list",
    "character import",
    "character export",
    "character delete",
    "character chat",
    "character memories",
    "character fact",
    "character forget",
    "character points",
    "character key",
    "character inactive",
    "observe run",
    "observe reflect",
    "observe show",
    "observe stats",
    "handoff",
    "why",
    "archive status",
    "archive pending",
    "archive approve",
    "archive reject",
    "archive sync",
    "archive run",
    "archive restore",
    "open",
    "up",
    "down",
    "logs",
    "service install",
    "keys list",
    "keys set",
    "keys rotate",
    "keys test",
    "notify test",
    "encryption status",
    "encryption on",
    "encryption rotate",
    "encryption off",
    "backup create",
    "backup list",
    "backup verify",
    "backup restore",
    "backup prune",
    "redact",
    "doctor",
    "rebuild",
    "calibrate",
    "store switch",
    "store distribute",
    "store drop",
    "journal switch",
    "config show",
    "config set",
    "config unset",
    "config edit",
)


def load_command(name: str) -> Command[..., Any]:  # noqa: C901, PLR0911, PLR0912, PLR0915 - a table
    """Return the command called `name`, loading its module."""
    match name:
        case "setup":
            from gieok.commands.setup.command import set_up_gieok

            return set_up_gieok
        case "pause":
            from gieok.commands.home.pause import pause_memory

            return pause_memory
        case "resume":
            from gieok.commands.home.pause import resume_memory

            return resume_memory
        case "index":
            from gieok.commands.memory.index import index_memory

            return index_memory
        case "search":
            from gieok.commands.memory.search import search_memory

            return search_memory
        case "list":
            from gieok.commands.memory.listing import list_memories

            return list_memories
        case "get":
            from gieok.commands.memory.get import get_memory_text

            return get_memory_text
        case "status":
            from gieok.commands.home.status import read_home_status

            return read_home_status
        case "remember":
            from gieok.commands.memory.remember import remember_record

            return remember_record
        case "retire":
            from gieok.commands.memory.retire import retire_memories

            return retire_memories
        case "restore":
            from gieok.commands.memory.retire import restore_memories

            return restore_memories
        case "edit":
            from gieok.commands.memory.edit import edit_memory

            return edit_memory
        case "history":
            from gieok.commands.memory.history import trace_memory_history

            return trace_memory_history
        case "transfer":
            from gieok.commands.memory.transfer import transfer_memories

            return transfer_memories
        case "forget":
            from gieok.commands.memory.forget import forget_memories

            return forget_memories
        case "trust":
            from gieok.commands.memory.trust import trust_project

            return trust_project
        case "install":
            from gieok.commands.prompt.install import install_agent

            return install_agent
        case "recall":
            from gieok.commands.prompt.recall import recall_memories

            return recall_memories
        case "rules list":
            from gieok.commands.prompt.rules import list_action_rules

            return list_action_rules
        case "rules try":
            from gieok.commands.prompt.rules import try_action_rules

            return try_action_rules
        case "rules on":
            from gieok.commands.prompt.rules import switch_rule_on

            return switch_rule_on
        case "rules off":
            from gieok.commands.prompt.rules import switch_rule_off

            return switch_rule_off
        case "rules until":
            from gieok.commands.prompt.rules import give_rule_end

            return give_rule_end
        case "rules allow":
            from gieok.commands.prompt.rules import allow_rule_once

            return allow_rule_once
        case "hook measure":
            from gieok.commands.prompt.measure import measure_recall

            return measure_recall
        case "hook stats":
            from gieok.commands.prompt.stats import collect_hook_stats

            return collect_hook_stats
        case "hook injections":
            from gieok.commands.prompt.injections import list_injections

            return list_injections
        case "hook refuse":
            from gieok.commands.prompt.refuse import refuse_memory

            return refuse_memory
        case "import":
            from gieok.commands.moving.import_memory import import_memories

            return import_memories
        case "export":
            from gieok.commands.moving.export import export_memory

            return export_memory
        case "move":
            from gieok.commands.moving.move import move_folders

            return move_folders
        case "sync init":
            from gieok.commands.moving.sync import start_sync

            return start_sync
        case "sync run":
            from gieok.commands.moving.sync import synchronise_home

            return synchronise_home
        case "sync status":
            from gieok.commands.moving.sync import read_sync_status

            return read_sync_status
        case "sync devices":
            from gieok.commands.moving.sync import list_sync_devices

            return list_sync_devices
        case "sync key":
            from gieok.commands.moving.sync import show_sync_key

            return show_sync_key
        case "sync rotate":
            from gieok.commands.moving.sync import rotate_sync_key

            return rotate_sync_key
        case "uninstall":
            from gieok.commands.moving.uninstall import uninstall_gieok

            return uninstall_gieok
        case "erase":
            from gieok.commands.moving.erase import erase_home

            return erase_home
        case "code init":
            from gieok.commands.code.init import init_code_index

            return init_code_index
        case "code query":
            from gieok.commands.code.query import query_code

            return query_code
        case "code explore":
            from gieok.commands.code.explore import explore_code

            return explore_code
        case "code show":
            from gieok.commands.code.show import show_code_symbol

            return show_code_symbol
        case "code impact":
            from gieok.commands.code.impact import find_code_impact

            return find_code_impact
        case "code sync":
            from gieok.commands.code.sync import sync_code_files

            return sync_code_files
        case "code coverage":
            from gieok.commands.code.coverage import take_in_coverage

            return take_in_coverage
        case "code watch":
            from gieok.commands.code.watch import watch_code

            return watch_code
        case "code install-hook":
            from gieok.commands.code.install_hook import install_git_hooks

            return install_git_hooks
        case "code validate":
            from gieok.commands.code.validate import validate_code_index

            return validate_code_index
        case "code escalate":
            from gieok.commands.code.escalate import escalate_project

            return escalate_project
        case "code estimate":
            from gieok.commands.code.estimate import estimate_model_runs

            return estimate_model_runs
        case "code status":
            from gieok.commands.code.status import read_code_status

            return read_code_status
        case "code stats":
            from gieok.commands.code.stats import count_code_stats

            return count_code_stats
        case "code export":
            from gieok.commands.code.export import export_project

            return export_project
        case "ask":
            from gieok.commands.code.ask import ask_code_model

            return ask_code_model
        case "character create":
            from gieok.commands.character.characters import create_character

            return create_character
        case "character list":
            from gieok.commands.character.characters import list_house_characters

            return list_house_characters
        case "character import":
            from gieok.commands.character.cards import import_character

            return import_character
        case "character export":
            from gieok.commands.character.cards import export_character

            return export_character
        case "character delete":
            from gieok.commands.character.characters import delete_character

            return delete_character
        case "character chat":
            from gieok.commands.character.chat import chat_with_character

            return chat_with_character
        case "character memories":
            from gieok.commands.character.memory_rows import list_character_memories

            return list_character_memories
        case "character fact":
            from gieok.commands.character.memory_rows import set_character_fact

            return set_character_fact
        case "character forget":
            from gieok.commands.character.memory_rows import forget_character_memory

            return forget_character_memory
        case "character points":
            from gieok.commands.character.users import change_user_points

            return change_user_points
        case "character key":
            from gieok.commands.character.users import manage_user_keys

            return manage_user_keys
        case "character inactive":
            from gieok.commands.character.inactive import remind_inactive_users

            return remind_inactive_users
        case "observe run":
            from gieok.commands.observe.run import observe_transcripts

            return observe_transcripts
        case "observe reflect":
            from gieok.commands.observe.reflect import reflect_scope

            return reflect_scope
        case "observe show":
            from gieok.commands.observe.show import show_observations

            return show_observations
        case "observe stats":
            from gieok.commands.observe.stats import collect_observe_stats

            return collect_observe_stats
        case "handoff":
            from gieok.commands.observe.handoff import hand_session_over

            return hand_session_over
        case "why":
            from gieok.commands.observe.why import explain_memory_origin

            return explain_memory_origin
        case "archive status":
            from gieok.commands.archive.status import read_archive_status

            return read_archive_status
        case "archive pending":
            from gieok.commands.archive.pending import list_pending

            return list_pending
        case "archive approve":
            from gieok.commands.archive.answer import approve_pending

            return approve_pending
        case "archive reject":
            from gieok.commands.archive.answer import reject_pending

            return reject_pending
        case "archive sync":
            from gieok.commands.archive.sync import sync_archive

            return sync_archive
        case "archive run":
            from gieok.commands.archive.run import run_archive_jobs

            return run_archive_jobs
        case "archive restore":
            from gieok.commands.archive.restore import restore_archived_days

            return restore_archived_days
        case "open":
            from gieok.commands.home.open_pages import open_web_pages

            return open_web_pages
        case "up":
            from gieok.commands.home.daemon import start_home_daemon

            return start_home_daemon
        case "down":
            from gieok.commands.home.daemon import stop_home_daemon

            return stop_home_daemon
        case "logs":
            from gieok.commands.home.logs import read_daemon_log

            return read_daemon_log
        case "service install":
            from gieok.commands.home.service import install_service

            return install_service
        case "keys list":
            from gieok.commands.home.keys import list_service_keys

            return list_service_keys
        case "keys set":
            from gieok.commands.home.keys import set_service_key

            return set_service_key
        case "keys rotate":
            from gieok.commands.home.keys import rotate_service_key

            return rotate_service_key
        case "keys test":
            from gieok.commands.home.keys import test_service_keys

            return test_service_keys
        case "notify test":
            from gieok.commands.home.notify_test import test_notifications

            return test_notifications
        case "encryption status":
            from gieok.commands.home.encryption import read_encryption_status

            return read_encryption_status
        case "encryption on":
            from gieok.commands.home.encryption import turn_encryption_on

            return turn_encryption_on
        case "encryption rotate":
            from gieok.commands.home.encryption import rotate_encryption_key

            return rotate_encryption_key
        case "encryption off":
            from gieok.commands.home.encryption import turn_encryption_off

            return turn_encryption_off
        case "backup create":
            from gieok.commands.home.backup import create_backup

            return create_backup
        case "backup list":
            from gieok.commands.home.backup import list_backups

            return list_backups
        case "backup verify":
            from gieok.commands.home.backup import verify_backup

            return verify_backup
        case "backup restore":
            from gieok.commands.home.backup import restore_backup

            return restore_backup
        case "backup prune":
            from gieok.commands.home.backup import prune_backups

            return prune_backups
        case "redact":
            from gieok.commands.home.redact import redact_text_or_home

            return redact_text_or_home
        case "doctor":
            from gieok.commands.home.doctor import diagnose_home

            return diagnose_home
        case "rebuild":
            from gieok.commands.home.rebuild import rebuild_index

            return rebuild_index
        case "calibrate":
            from gieok.commands.memory.calibrate import calibrate_scores

            return calibrate_scores
        case "store switch":
            from gieok.commands.home.store_switch import switch_store

            return switch_store
        case "store distribute":
            from gieok.commands.home.store_distribute import distribute_tables

            return distribute_tables
        case "store drop":
            from gieok.commands.home.store_drop import drop_store

            return drop_store
        case "journal switch":
            from gieok.commands.home.journal_switch import switch_journal

            return switch_journal
        case "config show":
            from gieok.commands.home.show_config import show_settings

            return show_settings
        case "config set":
            from gieok.commands.home.set_config import set_config_value

            return set_config_value
        case "config unset":
            from gieok.commands.home.set_config import unset_config_value

            return unset_config_value
        case "config edit":
            from gieok.commands.home.edit_config import edit_user_config

            return edit_user_config
        case _:
            raise KeyError(name)
