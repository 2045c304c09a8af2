"""The words of a form that was made from types: labels, help, choices and what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hansang.blueprint.explorer.forms import Fault, FormField, rows_in
from hansang.surfaces.labels import Labels, model_in
from hansang.surfaces.refusals import error_sentence, sentence


@dataclass(frozen=True, slots=True)
class FormTexts:
    """The words of the form of one kind of item, or of one of its access patterns."""

    labels: Labels
    kind: str
    model: Any

    def label(self, name: str) -> str:
        """What people call a field."""
        return self.labels.field(self.kind, name)

    def help(self, each: FormField) -> str:
        """What to write into a field."""
        return self.labels.help(self.kind, each.name)

    def choice(self, each: FormField, value: str) -> str:
        """What people call a value that can be chosen."""
        if each.choices.get(value) is True or each.choices.get(value) is False:
            return self.labels.wording.text(
                "data.yes" if each.choices[value] else "data.no", self.labels.language
            )
        return self.labels.choice(self.kind, each.name, value)

    def part(self, each: FormField) -> FormTexts:
        """The words of the rows of a field."""
        return FormTexts(self.labels, each.model or f"{self.kind}.{each.name}", None)

    def fault(self, fault: Fault, *, with_place: bool = True) -> str:
        """What is wrong, as a sentence; with the place inside of the value, if it is one."""
        said = self._said(fault)
        if not fault.inside or not with_place:
            return said
        place = self.labels.place(self.kind, self.model, fault.inside)
        return f"{place}: {said}"

    def summary(
        self, fields: Sequence[FormField], faults: Mapping[str, Fault], texts: Mapping[str, str]
    ) -> list[tuple[str, str, str]]:
        """Everything that is wrong, in the order of the form: the field, its label and the sentence."""
        found = [
            (name, self._place(each, name, texts), self._at(each, fault))
            for each in fields
            for name, fault in _own(each, faults)
        ]
        seen = {"", *(name for name, _, _ in found)}
        rest = {name: fault for name, fault in faults.items() if name not in seen}
        return [*found, *((name, self.label(name), self.fault(fault)) for name, fault in rest.items())]

    def _at(self, each: FormField, fault: Fault) -> str:
        inner = FormTexts(self.labels, each.model or self.kind, self._inner(each))
        return inner.fault(fault, with_place=each.kind == "json")

    def _inner(self, each: FormField) -> Any:
        info = getattr(self.model, "model_fields", {}).get(each.name)
        return None if info is None else model_in(info.annotation)

    def _place(self, each: FormField, name: str, texts: Mapping[str, str]) -> str:
        if name == each.name:
            return self.label(name)
        _, row, part = name.removeprefix(each.name).split(".")
        number = rows_in(each.name, texts).index(row) + 1
        parts = (self.part(each).label(part), self.labels.row(number))
        return " ".join(reversed(parts)) if self.labels.language == "ko" else ", ".join(parts)

    def _said(self, fault: Fault) -> str:
        wording, language = self.labels.wording, self.labels.language
        if fault.code == "found":
            return sentence(wording, language, fault.found)
        own = wording.find(fault.key, language, **fault.values) if fault.key else None
        if fault.code == "refused" or own is not None:
            return own or error_sentence(wording, language, ValueError(fault.detail))
        return wording.text(f"data.fault.{fault.code}", language)


def _own(each: FormField, faults: Mapping[str, Fault]) -> list[tuple[str, Fault]]:
    """The faults of a field and of its rows."""
    begin = f"{each.name}."
    return [(name, fault) for name, fault in faults.items() if name == each.name or name.startswith(begin)]


def pairs(each: FormField, words: FormTexts) -> list[tuple[str, str]]:
    """The values that can be chosen, each with what people call it."""
    return [(value, words.choice(each, value)) for value in each.choices]


def grouped(text: str) -> str:
    """The digits of a whole number in groups of three; anything else as it is."""
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    return f"{sign}{int(digits):,}" if digits.isascii() and digits.isdecimal() and len(digits) < 40 else text
