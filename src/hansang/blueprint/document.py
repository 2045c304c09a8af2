"""The design document: entities, keys, examples, indexes, patterns with their requests and their cost."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from hansang.blueprint import capacity
from hansang.blueprint.capacity import Line
from hansang.blueprint.findings import Finding
from hansang.blueprint.lint import lint
from hansang.blueprint.markdown import block, code, table
from hansang.blueprint.plain import plain_item, plain_value
from hansang.blueprint.sizes import Sizes
from hansang.blueprint.subject import AskedPattern, Design
from hansang.blueprint.words import DocumentWords
from hansang.design import Index, Query, Table
from hansang.design.shape import Shape
from hansang.design.slots import Slot

_ALIAS = re.compile(r"#n\d+")


def document(design: Design, words: DocumentWords) -> str:
    """The Markdown of a design, every table in turn."""
    return (
        "\n\n".join(part for each in design.tables for part in _Document(design, each, words).parts()) + "\n"
    )


class _Document:
    """The document of one table."""

    def __init__(self, design: Design, subject: type[Table], words: DocumentWords) -> None:
        self.design, self.table, self.words = design, subject, words
        self.sizes = Sizes(design)
        self.lines: dict[str, Line] = {line.name: line for line in capacity.lines(design)}
        self.patterns = design.patterns_of(subject)

    def parts(self) -> Iterator[str]:
        names = ", ".join(shape.cls.__name__ for shape in self.table.shapes)
        yield f"# {self.table.name}: {self.words.title}"
        yield "\n\n".join(each for each in (described(self.table), f"{self.words.purpose}: {names}.") if each)
        yield f"## 1. {self.words.table}"
        yield self._settings()
        yield f"## 2. {self.words.entities}"
        for number, shape in enumerate(self.table.shapes, 1):
            yield from self._entity(number, shape)
        yield f"## 3. {self.words.indexes}"
        yield self._indexes()
        yield f"## 4. {self.words.patterns}"
        yield from self._questions()
        yield f"## 5. {self.words.writes}"
        yield self._verbs()
        yield f"## 6. {self.words.review}"
        yield self._review()

    def _settings(self) -> str:
        words, owner = self.words, self.table
        rows = [
            ("TableName", code(owner.name)),
            (words.partition, code(f"{owner.pk} ({owner.kind_of(owner.pk)})")),
            (words.sort, words.none if owner.sk is None else code(f"{owner.sk} ({owner.kind_of(owner.sk)})")),
            (words.billing, code("PAY_PER_REQUEST")),
            (words.stream, code(owner.stream) if owner.stream else words.off),
            (words.expiry, code(owner.time_to_live() or "") or words.off),
            (words.kind, code(owner.type_attribute or "") or words.none),
        ]
        return table((words.item, words.value), rows)

    def _entity(self, number: int, shape: Shape) -> Iterator[str]:
        yield f"### 2.{number} {shape.cls.__name__}"
        if described(shape.cls):
            yield described(shape.cls)
        words = self.words
        yield table((words.attribute, words.type, words.needed, words.meaning), self._attributes(shape))
        yield f"**{words.example}**"
        yield block(plain_item(self.sizes.example(shape)))

    def _attributes(self, shape: Shape) -> Iterator[tuple[str, str, str, str]]:
        words, owner = self.words, self.table
        yield code(owner.pk), owner.kind_of(owner.pk), words.yes, code(shape.pk.text)
        if owner.sk is not None and shape.sk is not None:
            yield code(owner.sk), owner.kind_of(owner.sk), words.yes, code(shape.sk.text)
        if owner.type_attribute is not None and shape.type_name is not None:
            yield code(owner.type_attribute), "S", words.yes, f"{words.kind_value} {code(shape.type_name)}"
        for slot in shape.slots.values():
            if slot.attribute is not None and slot.attribute not in owner.key_attributes():
                info = shape.cls.model_fields[slot.name]
                needed = words.no if slot.optional else words.yes
                about = " ".join(each for each in (info.description, self._mark(slot)) if each)
                yield code(slot.attribute), slot.codec.kind or "*", needed, about
        for each in shape.derived.values():
            yield code(each.attribute), "S", words.no, f"{words.derived} {code(each.of)}"
        for name, template in shape.composed.items():
            yield code(name), "S", words.no, code(template.text)

    def _mark(self, slot: Slot) -> str:
        """Who sees a field, where not everybody does."""
        if slot.mark is None:
            return ""
        roles = ", ".join(map(code, slot.mark.roles))
        return self.words.personal.format(roles=roles) if roles else self.words.hidden

    def _indexes(self) -> str:
        words, owner = self.words, self.table
        head = (words.item, words.partition, words.sort, words.projection, words.used_by)
        rows = [(words.primary, code(owner.pk), code(owner.sk or ""), "ALL", self._users(None))]
        rows += [
            (
                code(each.name),
                ", ".join(map(code, each.partition_keys)),
                ", ".join(map(code, each.sort_keys)) or code(""),
                projection(each),
                self._users(each),
            )
            for each in owner.indexes
        ]
        return table(head, rows)

    def _users(self, index: Index | None) -> str:
        return ", ".join(asked.label for asked, query in self.patterns if query.index is index)

    def _questions(self) -> Iterator[str]:
        words = self.words
        if not self.patterns:
            yield words.none
            return
        head = (
            words.pattern,
            words.meaning,
            words.asks,
            words.condition,
            words.values,
            words.order,
            words.cost,
        )
        yield table(head, [self._question(asked, query) for asked, query in self.patterns])
        yield words.cost_note.format(answers=capacity.ANSWERS)
        for asked, query in self.patterns:
            yield f"**{words.request}: {asked.label}**"
            yield block(query.request(self.table.name))

    def _question(self, asked: AskedPattern, query: Query[Any]) -> tuple[str, ...]:
        request = query.request(self.table.name)
        names = request["ExpressionAttributeNames"]
        condition = _ALIAS.sub(lambda match: str(names[match[0]]), request["KeyConditionExpression"])
        keyed = (
            name
            for name in request["ExpressionAttributeValues"]
            if f"{name} " in f"{condition} ".replace(")", " ")
        )
        values = [str(plain_value(request["ExpressionAttributeValues"][name])) for name in keyed]
        return (
            asked.label,
            asked.meaning,
            code(query.table.name if query.index is None else query.index.name),
            code(condition),
            " / ".join(map(code, values)),
            self.words.ascending if query.forward else self.words.descending,
            f"{self.lines[asked.label].read:g}",
        )

    def _verbs(self) -> str:
        words = self.words
        rows = []
        for shape in self.table.shapes:
            name = shape.cls.__name__
            get, put, delete = (self.lines[f"{name}.{verb}"] for verb in ("get", "put", "delete"))
            ceiling = f"{put.ceiling:,.0f} ({code(put.narrow)})"
            written = (f"{put.write:g} WCU", self._update(name), f"{delete.write:g} WCU")
            rows.append((name, f"{get.size:,}", f"{get.read:g} RCU", *written, ceiling))
        head = (words.item, words.size, words.get, words.put, words.update, words.delete, words.ceiling)
        return f"{table(head, rows)}\n\n{words.update_note}"

    def _update(self, name: str) -> str:
        """What a change costs: of other attributes, and of the keys of indexes."""
        verbs = ("update", "update_index_key")
        found = [self.lines[f"{name}.{verb}"].write for verb in verbs if f"{name}.{verb}" in self.lines]
        return f"{' / '.join(f'{units:g}' for units in found)} WCU" if found else self.words.none

    def _review(self) -> str:
        found = [each for each in lint(Design([self.table])) if each.severity != "info"]
        return "\n".join(map(self._finding, found)) or self.words.no_findings

    def _finding(self, finding: Finding) -> str:
        """What was found, with the remedy, or with the reason why it stays."""
        then = f"{self.words.accepted}: {finding.accepted}" if finding.accepted else finding.remedy
        return f"- **{finding.code}** {finding.place.subject.partition(':')[2]}: {finding.message} {then}"


def described(owner: type[Any]) -> str:
    """The docstring that a class has of its own."""
    return inspect.cleandoc(owner.__dict__.get("__doc__") or "")


def projection(index: Index) -> str:
    """What an index holds, in one cell."""
    given = index.definition()["Projection"]
    return (
        ", ".join(map(code, given["NonKeyAttributes"]))
        if "NonKeyAttributes" in given
        else given["ProjectionType"]
    )
