"""The review of a design: every rule, asked of every table."""

from __future__ import annotations

from collections.abc import Iterable

from hansang.blueprint.acceptance import accepted
from hansang.blueprint.codes import BY_CODE, UNLOADABLE
from hansang.blueprint.findings import Finding, Location, in_order
from hansang.blueprint.rules import attributes, keys, order, partitions, patterns
from hansang.blueprint.subject import Design
from hansang.errors import DesignError, SettingsError

ALL = (*patterns.RULES, *keys.RULES, *order.RULES, *partitions.RULES, *attributes.RULES)


def lint(design: Design) -> list[Finding]:
    """What there is to say against a design, the worst first; what the design accepts has its reason."""
    return in_order(accepted(design, dict.fromkeys(finding for rule in ALL for finding in rule(design))))


def unloadable(name: str, fault: DesignError) -> Finding:
    """The finding of a design that contradicts itself when its module is imported."""
    return Finding(BY_CODE.get(fault.rule, UNLOADABLE), Location(name), str(fault))


def without(findings: Iterable[Finding], ignored: Iterable[str]) -> list[Finding]:
    """The findings but for some codes, each of which must be one."""
    codes = {code.upper() for code in ignored}
    unknown = sorted(codes - BY_CODE.keys())
    if unknown:
        raise SettingsError(f"{unknown[0]} is not a rule. The rules are {', '.join(BY_CODE)}.")
    return [each for each in findings if each.code not in codes]
