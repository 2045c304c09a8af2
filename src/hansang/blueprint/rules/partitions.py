"""Rules about partitions: that the load spreads, and that nothing grows past a limit."""

from __future__ import annotations

from collections.abc import Iterator

from hansang.blueprint.codes import GROWING_COLLECTION, LOCAL_INDEX, LOW_CARDINALITY, TIME_PARTITION
from hansang.blueprint.domains import has_few_values, is_time
from hansang.blueprint.findings import Finding, place_of
from hansang.blueprint.subject import Design, has, is_one_of_partition, partition_fields
from hansang.design import Index, Table
from hansang.design.shape import Shape


def _ways(design: Design) -> Iterator[tuple[Shape, tuple[str, ...], Index | None]]:
    """Every entity in every partition key that it has: the table's, and those of global indexes."""
    for table in design.tables:
        for shape in table.shapes:
            yield shape, (table.pk,), None
            for index in table.indexes:
                if index.is_global and all(has(shape, name) for name in index.keys):
                    yield shape, index.partition_keys, index


def few_partitions(design: Design) -> Iterator[Finding]:
    """Partition keys with few values."""
    for shape, attributes, index in _ways(design):
        fields = partition_fields(shape, attributes)
        if fields is None or not all(has_few_values(shape, name) for name in fields):
            continue
        if _is_alone(shape, index):
            continue
        shared = "few partitions" if fields else "one partition"
        yield Finding(
            LOW_CARDINALITY,
            place_of(shape.cls),
            f"All {shape.cls.__name__} items share {shared} of {_owner(shape.table, index)} by {' and '.join(attributes)}.",
        )


def _owner(table: type[Table], index: Index | None) -> str:
    return f"the table {table.name}" if index is None else f"the index {index.name}"


def time_partitions(design: Design) -> Iterator[Finding]:
    """Partition keys that all writes of a period share."""
    for shape, attributes, index in _ways(design):
        fields = partition_fields(shape, attributes)
        if fields and all(is_time(shape, name) for name in fields) and not _is_alone(shape, index):
            yield Finding(
                TIME_PARTITION,
                place_of(shape.cls),
                f"All {shape.cls.__name__} items of one {' and '.join(fields)} share one partition of "
                f"{_owner(shape.table, index)} by {' and '.join(attributes)}.",
            )


def _is_alone(shape: Shape, index: Index | None) -> bool:
    """Whether a partition can hold one item of this kind at most, such as CORP#INFO."""
    if index is None:
        return not _grows(shape)
    return is_one_of_partition(shape, index.partition_keys)


def _grows(shape: Shape) -> bool:
    """Whether one partition key can have any number of these items."""
    if shape.sk is None:
        return False
    own = [name for name in shape.sk.fields if name not in shape.pk.fields]
    return any(not has_few_values(shape, name) for name in own)


def local_indexes(design: Design) -> Iterator[Finding]:
    """Local indexes, whose collections end at 10 GB."""
    for table in design.tables:
        for index in table.indexes:
            if not index.is_global:
                growing = [shape.cls.__name__ for shape in table.shapes if _grows(shape)]
                yield Finding(
                    LOCAL_INDEX,
                    place_of(table),
                    f"The index {index.name} is local: the items of one {table.pk} "
                    f"({', '.join(growing) or 'of fixed number'}) can have 10 GB.",
                )


def growing_collections(design: Design) -> Iterator[Finding]:
    """Item collections without an end."""
    for table in design.tables:
        for shape in table.shapes:
            if _grows(shape) and not shape.pk.partial:
                yield Finding(
                    GROWING_COLLECTION,
                    place_of(shape.cls),
                    f"One {shape.pk.text} can have any number of {shape.cls.__name__} items.",
                )


RULES = (few_partitions, time_partitions, local_indexes, growing_collections)
