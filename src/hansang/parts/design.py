"""The platform's table with every kind of item that is in it; creating it needs them all."""

from __future__ import annotations

from hansang.parts.api_keys import ApiKey
from hansang.parts.history import Change, ChangeMonth
from hansang.parts.journal import JobRun
from hansang.parts.person import Owners, Person
from hansang.parts.platform import Platform
from hansang.parts.receipts import Receipt
from hansang.parts.secrets import Secret
from hansang.parts.sessions import Session
from hansang.parts.sign_in_links import SignInLink
from hansang.parts.throttle import Tries
from hansang.parts.usage import UsageCount

__all__ = [
    "ApiKey",
    "Change",
    "ChangeMonth",
    "JobRun",
    "Owners",
    "Person",
    "Platform",
    "Receipt",
    "Secret",
    "Session",
    "SignInLink",
    "Tries",
    "UsageCount",
]
