"""The key of an index, each of whose halves may have several attributes."""

from __future__ import annotations


class IndexKey:
    """What the halves of a key have, for whoever has their attributes."""

    __slots__ = ()

    pk: str
    sk: str | None
    more_pk: tuple[str, ...]
    more_sk: tuple[str, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        return (*self.partition_keys, *self.sort_keys)

    @property
    def partition_keys(self) -> tuple[str, ...]:
        return (self.pk, *self.more_pk)

    @property
    def sort_keys(self) -> tuple[str, ...]:
        return () if self.sk is None else (self.sk, *self.more_sk)

    @property
    def is_compound(self) -> bool:
        """Whether a half has several attributes, each of them a value by itself."""
        return bool(self.more_pk or self.more_sk)
