"""How a table is run, in CreateTable, in the template and against the table that is there."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.blueprint.live import differences
from hansang.blueprint.template import as_data
from hansang.design import (
    GSI,
    LSI,
    Capacity,
    Encryption,
    Entity,
    Expiry,
    Key,
    Table,
)
from hansang.design.table_options import TableOptions
from hansang.errors import DesignError, WireError
from tests.storing import opened


class Vault(
    Table,
    name="Vault",
    capacity=Capacity(read=20, write=10),
    point_in_time_recovery=True,
    deletion_protection=True,
    encryption=Encryption("alias/vault"),
    table_class="STANDARD_INFREQUENT_ACCESS",
    stream="KEYS_ONLY",
):
    by_day = GSI("Day", pk="day", capacity=Capacity(read=5, write=10))
    by_owner = GSI("Owner", pk="owner")
    local = LSI("Local", sk="owner")


class SafeKey(Key["Safe"], pk="SAFE#{id}", sk="X"):
    id: str


class Safe(SafeKey, Entity, table=Vault):
    day: str
    owner: str
    ends: Expiry


def test_the_request_says_how_the_table_is_run() -> None:
    request = Vault.definition()
    assert (request["BillingMode"], request["TableClass"]) == ("PROVISIONED", "STANDARD_INFREQUENT_ACCESS")
    assert request["ProvisionedThroughput"] == {"ReadCapacityUnits": 20, "WriteCapacityUnits": 10}
    assert request["DeletionProtectionEnabled"] is True
    assert request["SSESpecification"] == {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "alias/vault"}
    units = [each["ProvisionedThroughput"]["ReadCapacityUnits"] for each in request["GlobalSecondaryIndexes"]]
    assert units == [5, 20]
    assert "ProvisionedThroughput" not in request["LocalSecondaryIndexes"][0]


def test_a_table_is_made_so_and_agrees_with_its_design() -> None:
    with opened(Vault) as db:
        asked = db.backend.call("DescribeTable", {"TableName": "Vault"})["Table"]
        assert asked["DeletionProtectionEnabled"] is True
        assert asked["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
        assert differences(db.backend, Vault, "Vault") == []
        with pytest.raises(WireError, match="protected against deletion"):
            db.backend.call("DeleteTable", {"TableName": "Vault"})
        change = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
        for changed in ({"ProvisionedThroughput": change}, {"DeletionProtectionEnabled": False}):
            db.backend.call("UpdateTable", {"TableName": "Vault", **changed})
        found = {each.what: (each.design, each.live) for each in differences(db.backend, Vault, "Vault")}
    assert found == {
        "capacity": ("Day 5/10, Owner 20/10, table 20/10", "Day 5/10, Owner 20/10, table 1/1"),
        "deletion protection": ("on", "off"),
    }


def test_the_template_says_the_same() -> None:
    data = as_data([Vault])
    assert "PointInTimeRecovery" not in data["Parameters"]
    properties = data["Resources"]["VaultTable"]["Properties"]
    assert properties["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert properties["SSESpecification"] == {
        "SSEEnabled": True,
        "SSEType": "KMS",
        "KMSMasterKeyId": "alias/vault",
    }
    assert properties["DeletionProtectionEnabled"] is True
    assert data["Parameters"]["VaultTableTimeToLive"]["Default"] == "ends"
    assert data["Parameters"]["VaultTableStream"]["Default"] == "KEYS_ONLY"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Capacity(read=0, write=1),
        lambda: Capacity(read=1, write="1"),  # type: ignore[arg-type]
        lambda: TableOptions(capacity=5),  # type: ignore[arg-type]
        lambda: TableOptions(encryption="alias/vault"),  # type: ignore[arg-type]
        lambda: TableOptions(table_class="CHEAP"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_option_is_refused(wrong: Any) -> None:
    with pytest.raises(DesignError):
        wrong()


def test_an_index_has_no_capacity_where_its_table_has_none() -> None:
    with pytest.raises(DesignError, match="paid for by request"):

        class Loose(Table, name="Loose"):
            one = GSI("One", pk="one", capacity=Capacity(read=1, write=1))
