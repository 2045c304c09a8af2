"""Designs from CloudFormation and SAM templates."""

from __future__ import annotations

from pathlib import Path

import pytest

from hansang.apps.catalog import APPLICATIONS
from hansang.blueprint.inference.checking import loaded, tables_in
from hansang.blueprint.inference.facts import TableFacts
from hansang.blueprint.inference.inferring import infer
from hansang.blueprint.inference.templates import is_template, read_document, template_tables
from hansang.blueprint.subject import Design
from hansang.blueprint.template import api_function, template
from hansang.design import Table
from hansang.errors import SettingsError
from tests.designs.chat import Chat

TABLES: list[type[Table]] = [Chat, *(table for each in APPLICATIONS for table in each.tables)]


def tables_of(path: Path, text: str) -> list[TableFacts]:
    path.write_text(text, encoding="utf-8")
    document = read_document(path)
    assert is_template(document)
    return template_tables(document)


def without_entities(table: type[Table]) -> dict[str, object]:
    """The definition of a table, its attributes in order."""
    found = table.definition()
    return found | {"AttributeDefinitions": sorted(map(str, found["AttributeDefinitions"]))}


@pytest.mark.parametrize("with_api", [False, True])
def test_our_own_template_gives_our_tables_back(tmp_path: Path, with_api: bool) -> None:
    function = api_function(["codex"], ".") if with_api else None
    facts = tables_of(tmp_path / "template.yaml", template(Design(TABLES), function))
    with loaded(infer(facts).text) as module:
        found = {each.name: each for each in tables_in(module)}
        for ours in TABLES:
            assert without_entities(found[ours.name]) == without_entities(ours)
            assert found[ours.name].time_to_live() == ours.time_to_live()


HAND_WRITTEN = """\
AWSTemplateFormatVersion: 2010-09-09
Transform: AWS::Serverless-2016-10-31
Parameters:
  Stage: {Type: String, Default: dev}
  Prefix: {Type: String}
Mappings:
  Names:
    dev: {Orders: orders-of-dev}
Conditions:
  IsProduction: !Equals [!Ref Stage, prod]
  HasStream: !And [!Not [Condition: IsProduction], !Equals [!Ref "AWS::Region", us-east-1]]
Resources:
  OrdersTable:
    Type: AWS::DynamoDB::Table
    DeletionPolicy: !If [IsProduction, Retain, Delete]
    Properties:
      TableName: !Sub "${Stage}-orders"
      BillingMode: PROVISIONED
      ProvisionedThroughput: {ReadCapacityUnits: 5, WriteCapacityUnits: !If [IsProduction, 50, 5]}
      AttributeDefinitions:
        - {AttributeName: customer, AttributeType: S}
        - {AttributeName: placed, AttributeType: N}
        - {AttributeName: total, AttributeType: N}
        - {AttributeName: state, AttributeType: S}
      KeySchema:
        - {AttributeName: customer, KeyType: HASH}
        - {AttributeName: placed, KeyType: RANGE}
      LocalSecondaryIndexes:
        - IndexName: by-total
          KeySchema:
            - {AttributeName: customer, KeyType: HASH}
            - {AttributeName: total, KeyType: RANGE}
          Projection: {ProjectionType: INCLUDE, NonKeyAttributes: [note, state]}
      GlobalSecondaryIndexes:
        - IndexName: by-state
          KeySchema:
            - {AttributeName: state, KeyType: HASH}
          Projection: {ProjectionType: KEYS_ONLY}
          ProvisionedThroughput: {ReadCapacityUnits: 5, WriteCapacityUnits: 5}
      StreamSpecification: !If [HasStream, {StreamViewType: NEW_IMAGE}, !Ref "AWS::NoValue"]
      TimeToLiveSpecification: {AttributeName: gone, Enabled: true}
  Named:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Ref Prefix
      AttributeDefinitions: [{AttributeName: id, AttributeType: B}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
      TimeToLiveSpecification: {AttributeName: gone, Enabled: false}
  Suffixed:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub "carts-${AWS::StackName}"
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
  Joined:
    Type: AWS::DynamoDB::GlobalTable
    Properties:
      TableName: !Join ["-", [!Ref Stage, !FindInMap [Names, !Ref Stage, Orders]]]
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
      Replicas: [{Region: us-east-1}]
  Simple:
    Type: AWS::Serverless::SimpleTable
    Properties: {PrimaryKey: {Name: key, Type: Number}}
  Plain:
    Type: AWS::Serverless::SimpleTable
  Function:
    Type: AWS::Serverless::Function
    Properties:
      Environment: {Variables: {TABLE: !Ref OrdersTable, ARN: !GetAtt OrdersTable.Arn}}
      Policies: [DynamoDBCrudPolicy: {TableName: !Ref OrdersTable}]
"""


def test_a_hand_written_template_is_read_with_its_functions(tmp_path: Path) -> None:
    facts = tables_of(tmp_path / "template.yml", HAND_WRITTEN)
    names = ["dev-orders", "Named", "carts", "dev-orders-of-dev", "Simple", "Plain"]
    assert [each.name for each in facts] == names
    orders, named = facts[0], facts[1]
    assert (orders.stream, orders.expiry, named.stream, named.expiry) == ("NEW_IMAGE", "gone", None, None)
    with loaded(infer(facts).text) as module:
        found = {each.name: each for each in tables_in(module)}
        definition = found["dev-orders"].definition()
        [local], [other] = definition["LocalSecondaryIndexes"], definition["GlobalSecondaryIndexes"]
        assert local["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["note", "state"]}
        assert other["Projection"] == {"ProjectionType": "KEYS_ONLY"}
        kinds = {each["AttributeName"]: each["AttributeType"] for each in definition["AttributeDefinitions"]}
        assert kinds == {"customer": "S", "placed": "N", "total": "N", "state": "S"}
        assert found["dev-orders"].time_to_live() == "gone"
        assert [found[name].kind_of(found[name].pk) for name in names[1:]] == ["B", "S", "S", "N", "S"]


def test_a_template_in_json_is_read(tmp_path: Path) -> None:
    text = """{"Resources": {"T": {"Type": "AWS::DynamoDB::Table", "Properties": {
        "TableName": {"Fn::Sub": "a-${Missing}"},
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}}}}"""
    assert [each.name for each in tables_of(tmp_path / "t.json", text)] == ["a"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.yaml", "a: [b", "cannot be read"),
        ("t.json", "{", "cannot be read"),
        ("t.yaml", "a: &a [*a]\nResources: {T: {Type: AWS::DynamoDB::Table}}", "The table T"),
        (
            "t.yaml",
            "Resources: {T: {Type: AWS::DynamoDB::Table, Properties: {KeySchema: !GetAtt X.Y}}}",
            "have to be written out",
        ),
    ],
)
def test_a_template_that_cannot_be_read_says_why(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        tables_of(tmp_path / name, text)


def test_a_tag_makes_no_object(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_text("a: !!python/object/apply:os.getcwd []")
    with pytest.raises(SettingsError, match="cannot be read"):
        read_document(path)
