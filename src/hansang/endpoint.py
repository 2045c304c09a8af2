"""The DynamoDB endpoint, joined at start without what the whole product needs, which takes long to import."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from socket import AF_INET6, socket

from hansang.backends.embedded import Embedded
from hansang.clock import Clock, system_clock
from hansang.engine.catalog import Withheld
from hansang.parts.platform import Platform, is_platform
from hansang.settings import WireSettings
from hansang.surfaces.server.ending import CLOSING, Told, ending_in_time
from hansang.surfaces.wire.app import WireApp
from hansang.surfaces.wire.guard import OriginGuard
from hansang.surfaces.wire.regions import Regions
from hansang.surfaces.wire.server import GRACE, Server, listen
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
    """Data file, backend, application and socket, closed in turn when all that has begun is done.

    Without keys the platform's table is as if it were not there: whoever reaches the port could make a key of it.
    """
    listener, told = listen(settings.host, settings.port, loopback_only=not settings.has_keys), Told()
    with (
        closing(listener),
        ending_in_time(told, GRACE + CLOSING),
        _opened(settings, settings.data, settings.region) as backend,
        closing(Regions(backend, settings.region, settings.data, partial(_opened, settings))) as regions,
        closing(_wire_app(backend, regions, settings, clock)) as app,
    ):
        server = Server(app)
        server.told = told
        yield Endpoint(server, listener)


def _opened(settings: WireSettings, data: str, region: str) -> Embedded:
    return Embedded.open(
        data,
        durability=settings.durability,
        region=region,
        withheld=None if settings.has_keys else _is_platform(settings),
        creating_seconds=settings.creating_seconds,
        throttling=settings.throttling,
        buckets=settings.buckets,
        attempts=1,  # Whoever asks sends again.
    )


def _is_platform(settings: WireSettings) -> Withheld:
    renamed = (settings.table_names or {}).get(Platform.name)
    return partial(is_platform, names=() if renamed is None else (renamed,))


def _wire_app(backend: Embedded, regions: Regions, settings: WireSettings, clock: Clock) -> WireApp:
    return WireApp(
        backend,
        region=settings.region,
        guard=OriginGuard(settings.host, any_host=settings.has_keys),
        signatures=_signatures(settings, clock),
        regions=regions,
        # In memory a read waits for whoever writes.
        prompt=not backend.engine.store.in_memory,
    )


def _signatures(settings: WireSettings, clock: Clock) -> SignatureVerifier | None:
    if settings.access_key is None or settings.secret_key is None:
        return None
    return SignatureVerifier(Keys(settings.access_key, settings.secret_key), clock)
