"""Names of the original API design, beside the names that the rest of the program uses.

A client that was written from the design reads `isImportant`, `relatedMessages` or `newBalance`.
Each is a further name of a field or property that the answer has already.
"""

from collections.abc import Mapping

from gieok.character.accounts.points import CheckedIn, PointsStanding, SlotPurchase
from gieok.character.memory.control import EditOutcome, MemorySearch, Story
from gieok.character.memory.memory_pages import MemoryPage, RememberedItem, SaidMessage
from gieok.surfaces.http.ledger_rows import LedgerRow, LedgerRows

#: Record of an answer → name in the design → field or property of the record.
DESIGN_NAMES: Mapping[type, Mapping[str, str]] = {
    RememberedItem: {
        "summary": "text",
        "isImportant": "is_important",
        "userEmotion": "user_emotion",
        "characterEmotion": "character_emotion",
        "sourceText": "source",
        "mentionCount": "mentions",
        "messageCount": "messages",
        "createdAt": "at",
        "description": "text",
        "factType": "type",
        "factSubtype": "kind",
        "eventType": "kind",
        "keyMoments": "key_moments",
        "startMessageId": "start_message_id",
        "endMessageId": "end_message_id",
    },
    SaidMessage: {
        "content": "text",
        "timestamp": "at",
        "isSummarized": "is_summarized",
        "summaryId": "summary_id",
    },
    MemoryPage: {"memories": "items", "pagination": "pagination"},
    MemorySearch: {"memories": "memories", "scores": "scores"},
    Story: {"relatedMessages": "messages"},
    EditOutcome: {"success": "is_done"},
    PointsStanding: {"todayCheckIn": "has_checked_in", "checkInStreak": "streak"},
    CheckedIn: {"pointsEarned": "given", "newBalance": "balance"},
    LedgerRow: {
        "transactionType": "transaction_type",
        "balanceAfter": "balance",
        "description": "note",
        "referenceId": "reference",
        "createdAt": "at",
    },
    LedgerRows: {"transactions": "items", "pagination": "pagination"},
    SlotPurchase: {"success": "is_done", "newSlotCount": "room", "pointsSpent": "spent"},
}
