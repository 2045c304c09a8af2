"""How a table is run, beside what it holds: its capacity, its protection, and how it is encrypted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from hansang.errors import DesignError

TableClass = Literal["STANDARD", "STANDARD_INFREQUENT_ACCESS"]


@dataclass(frozen=True, slots=True)
class Capacity:
    """Read and write units that are paid for by the hour, in place of those that are used."""

    read: int
    write: int

    def __post_init__(self) -> None:
        if any(type(each) is not int or each < 1 for each in (self.read, self.write)):
            raise DesignError(
                f"A capacity is at least one unit each, and not {self.read!r} and {self.write!r}."
            )

    def definition(self) -> dict[str, Any]:
        return {"ReadCapacityUnits": self.read, "WriteCapacityUnits": self.write}


@dataclass(frozen=True, slots=True)
class Encryption:
    """Encrypted with a key of KMS: AWS's own for the account, or one of yours; without it, by AWS's own key."""

    key: str | None = None
    """The ARN, the id or the alias of your key."""

    def definition(self) -> dict[str, Any]:
        found = {"Enabled": True, "SSEType": "KMS"}
        return found if self.key is None else found | {"KMSMasterKeyId": self.key}

    def resource(self) -> dict[str, Any]:
        """The same in a template, which has other names for it."""
        found: dict[str, Any] = {"SSEEnabled": True, "SSEType": "KMS"}
        return found if self.key is None else found | {"KMSMasterKeyId": self.key}


@dataclass(frozen=True, slots=True)
class TableOptions:
    """What a design says of how its table is run; None leaves it to where the table is."""

    capacity: Capacity | None = None
    point_in_time_recovery: bool | None = None
    deletion_protection: bool = False
    encryption: Encryption | None = None
    table_class: TableClass = "STANDARD"

    def __post_init__(self) -> None:
        for what, given, wanted in (
            ("capacity", self.capacity, Capacity),
            ("encryption", self.encryption, Encryption),
        ):
            if given is not None and not isinstance(given, wanted):
                raise DesignError(
                    f"{what}={given!r} is not of type {wanted.__name__}. Write {what}={wanted.__name__}(…)."
                )
        if self.table_class not in get_args(TableClass):
            raise DesignError(
                f"{self.table_class!r} is no class of tables. They are {', '.join(get_args(TableClass))}."
            )

    def definition(self) -> dict[str, Any]:
        """The part of CreateTable that says so."""
        found: dict[str, Any] = {"BillingMode": self.billing}
        if self.capacity is not None:
            found["ProvisionedThroughput"] = self.capacity.definition()
        if self.deletion_protection:
            found["DeletionProtectionEnabled"] = True
        if self.encryption is not None:
            found["SSESpecification"] = self.encryption.definition()
        if self.table_class != "STANDARD":
            found["TableClass"] = self.table_class
        return found

    @property
    def billing(self) -> str:
        return "PAY_PER_REQUEST" if self.capacity is None else "PROVISIONED"
