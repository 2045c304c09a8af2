"""The platform's table with every kind of item that is in it; creating it needs them all."""

from __future__ import annotations

from hansang.apps.platform.api_keys import ApiKey
from hansang.apps.platform.person import Owners, Person
from hansang.apps.platform.sessions import Session
from hansang.apps.platform.shown_once import ShownOnce
from hansang.apps.platform.sign_in_links import SignInLink
from hansang.apps.platform.throttle import Tries
from hansang.parts.audit import AuditEvent
from hansang.parts.exports import RunningExport
from hansang.parts.feed_positions import FeedPosition
from hansang.parts.history import Change, ChangeMonth
from hansang.parts.journal import JobRun
from hansang.parts.outbox import OutboxEntry
from hansang.parts.platform import Platform
from hansang.parts.receipts import Receipt
from hansang.parts.saved_questions import SavedQuestion
from hansang.parts.secrets import Secret
from hansang.parts.server_address import ServerAddress
from hansang.parts.topics import TopicMessage
from hansang.parts.usage import UsageCount
from hansang.parts.usage_periods import RoutePeriod, UsageBeginning, UsagePeriod
from hansang.parts.write_probe import WriteProbe

__all__ = [
    "ApiKey",
    "AuditEvent",
    "Change",
    "ChangeMonth",
    "FeedPosition",
    "JobRun",
    "OutboxEntry",
    "Owners",
    "Person",
    "Platform",
    "Receipt",
    "RoutePeriod",
    "RunningExport",
    "SavedQuestion",
    "Secret",
    "ServerAddress",
    "Session",
    "ShownOnce",
    "SignInLink",
    "TopicMessage",
    "Tries",
    "UsageBeginning",
    "UsageCount",
    "UsagePeriod",
    "WriteProbe",
]
