"""Where botocore is told to ask us: its own events, before a request is signed and before it is sent.

While anybody answers, new sessions have our handlers among botocore's own. They stay with the clients that were made
meanwhile: such a client reaches whoever answers when it asks, and nobody else, so no test finds its way to AWS.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, Protocol

import boto3 as sdk
import botocore
import botocore.session
from botocore import handlers
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.hooks import BaseEventHooks
from botocore.loaders import Loader, create_loader

from hansang.errors import SettingsError
from hansang.settings import lent_environment

SERVICES = ("dynamodb", "dynamodb-streams")
PLACEHOLDERS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
}
"""What botocore has to have before it makes a client; without keys it would look for those of the machine."""


class Responder(Protocol):
    """Whoever answers the requests of botocore."""

    def answer(self, request: AWSPreparedRequest) -> AWSResponse: ...


class Hook:
    """Who answers, and what botocore has of us meanwhile."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[Responder, tuple[Responder, ...]] = {}
        """Those who answer, each with those that it was entered inside of."""
        self._here: ContextVar[tuple[Responder, ...]] = ContextVar("hansang.testing", default=())
        self._installed = ExitStack()
        self._stays = False
        self._session: sdk.Session | None = None

    def enter(self, responder: Responder) -> None:
        """Send to it what is asked in this thread, and in threads that have nobody of their own."""
        outer = self._here.get()
        with self._lock:
            if not self._open:
                self._install_for_responders()
            self._open[responder] = outer
        self._here.set((*outer, responder))

    def leave(self, responder: Responder) -> None:
        """Send nothing more to it; the last one leaves botocore as it was."""
        self._here.set(tuple(each for each in self._here.get() if each is not responder))
        with self._lock:
            del self._open[responder]
            if not self._open:
                self._install_for_nobody()

    @property
    def responder(self) -> Responder | None:
        """Who answers what is asked here."""
        with self._lock:
            for each in reversed(self._here.get()):
                if each in self._open:
                    return each
            outer = {each for around in self._open.values() for each in around}
            innermost = [each for each in self._open if each not in outer]
        if len(innermost) > 1:
            raise SettingsError(
                "Several blocks of hansang.testing.boto3() are open, and this thread was started in none of them. "
                "Use a client that the block's own client() has made, or start the thread with "
                "contextvars.copy_context().run."
            )
        return innermost[0] if innermost else None

    @contextmanager
    def making(self) -> Iterator[sdk.Session]:
        """The session of those who answer; only one thread at a time may make a client of it."""
        with self._lock:
            if not self._open or self._session is None:
                raise SettingsError("This block of hansang.testing.boto3() has ended. Open another one.")
            yield self._session

    def stay(self, stays: bool = True) -> None:
        """Whether clients that are made while nobody answers reach those who answer when they ask."""
        with self._lock:
            self._stays = stays
            if not self._open:
                self._install_for_nobody()

    def _install_for_responders(self) -> None:
        self._installed.close()
        self._installed.enter_context(_handlers(_REFUSING))
        self._installed.enter_context(lent_environment(PLACEHOLDERS))
        self._session = new_session()
        shared: sdk.Session | None = sdk.DEFAULT_SESSION
        self._installed.callback(setattr, sdk, "DEFAULT_SESSION", shared)
        if shared is None:
            sdk.DEFAULT_SESSION = self._session
        else:
            register(shared.events, _REFUSING)
            self._installed.callback(register, shared.events, _PASSING if self._stays else {})

    def _install_for_nobody(self) -> None:
        self._installed.close()
        if self._stays:
            self._installed.enter_context(_handlers(_PASSING))


HOOK = Hook()


@cache
def _loader() -> Loader:
    return create_loader()


def new_session() -> sdk.Session:
    """A session that has read what botocore knows of services already, if another one has."""
    core = botocore.session.Session()
    core.register_component("data_loader", _loader())
    session = sdk.Session(botocore_session=core)
    paths = _loader().search_paths  # Every session adds that of boto3.
    paths[:] = dict.fromkeys(paths)
    return session


# ── handlers ──────────────────────────────────────────────────────────────────────────────────────


def _answered(request: AWSPreparedRequest, **event: Any) -> AWSResponse | None:
    responder = HOOK.responder
    return None if responder is None else responder.answer(request)


def _answered_or_refused(request: AWSPreparedRequest, **event: Any) -> AWSResponse:
    response = _answered(request)
    if response is None:
        raise SettingsError(
            "This client was made inside of hansang.testing.boto3(), and that block has ended. Make a new client."
        )
    return response


def _unsigned(**event: Any) -> object | None:
    return None if HOOK.responder is None else botocore.UNSIGNED


Handlers = Mapping[str, Callable[..., Any]]
_REFUSING: Handlers = {"before-send": _answered_or_refused, "choose-signer": _unsigned}
_PASSING: Handlers = {"before-send": _answered, "choose-signer": _unsigned}


@contextmanager
def _handlers(given: Handlers) -> Iterator[None]:
    """New sessions have these handlers, before all others."""
    added: list[Any] = [
        (f"{event}.{service}", handler, handlers.REGISTER_FIRST)
        for event, handler in given.items()
        for service in SERVICES
    ]
    builtin: list[Any] = handlers.BUILTIN_HANDLERS
    builtin.extend(added)
    try:
        yield
    finally:
        for each in added:
            builtin.remove(each)


def register(events: BaseEventHooks, given: Handlers) -> None:
    """These handlers are asked from now on, and none of the others of this module."""
    for service in SERVICES:
        for each in (_REFUSING, _PASSING):
            for event, handler in each.items():
                events.unregister(f"{event}.{service}", handler)
        for event, handler in given.items():
            events.register_first(f"{event}.{service}", handler)


@contextmanager
def registered(events: BaseEventHooks, given: Handlers) -> Iterator[None]:
    """The same for a while."""
    register(events, given)
    try:
        yield
    finally:
        for service in SERVICES:
            for event, handler in given.items():
                events.unregister(f"{event}.{service}", handler)


def bound(responder: Responder) -> Handlers:
    """Handlers that ask one responder, whoever else answers."""

    def answered(request: AWSPreparedRequest, **event: Any) -> AWSResponse:
        return responder.answer(request)

    def unsigned(**event: Any) -> object:
        return botocore.UNSIGNED

    return {"before-send": answered, "choose-signer": unsigned}
