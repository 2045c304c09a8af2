"""The one place that sees every floor and joins them, at start and never at import."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from socket import AF_INET6, socket

from hansang.backends.embedded import Embedded
from hansang.clock import Clock, system_clock
from hansang.settings import WireSettings
from hansang.surfaces.wire.app import WireApp
from hansang.surfaces.wire.guard import Guard
from hansang.surfaces.wire.server import Server, listen
from hansang.surfaces.wire.signature import Keys, SignatureVerifier


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The DynamoDB endpoint, listening; clients wait until it runs."""

    server: Server
    listener: socket

    @property
    def url(self) -> str:
        host, port = self.listener.getsockname()[:2]
        return f"http://[{host}]:{port}" if self.listener.family == AF_INET6 else f"http://{host}:{port}"

    def run(self) -> None:
        """Serve until a signal, or `stop`, ends it."""
        self.server.run(sockets=[self.listener])

    def stop(self) -> None:
        self.server.should_exit = True


@contextmanager
def dynamodb(settings: WireSettings, clock: Clock = system_clock) -> Iterator[Endpoint]:
    """Data file, backend, application and socket, closed in turn when all that has begun is done."""
    listener = listen(settings.host, settings.port, loopback_only=not settings.has_keys)
    with (
        closing(listener),
        Embedded.open(settings.data, durability=settings.durability, region=settings.region) as backend,
        closing(_wire_app(backend, settings, clock)) as app,
    ):
        yield Endpoint(Server(app), listener)


def _wire_app(backend: Embedded, settings: WireSettings, clock: Clock) -> WireApp:
    return WireApp(
        backend,
        region=settings.region,
        guard=Guard(settings.host, any_host=settings.has_keys),
        signatures=_signatures(settings, clock),
    )


def _signatures(settings: WireSettings, clock: Clock) -> SignatureVerifier | None:
    if settings.access_key is None or settings.secret_key is None:
        return None
    return SignatureVerifier(Keys(settings.access_key, settings.secret_key), clock)
