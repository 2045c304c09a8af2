"""The TypeScript programs of docs/comparison.md: compiled by tsc, run against our endpoint, and their mistakes made.

python bench/comparison.py [--folder DIR]      # needs Node.js and npm; installs what the page names into the folder
"""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3

PAGE = Path(__file__).parent.parent / "docs" / "comparison.md"
TEXT = PAGE.read_text(encoding="utf-8")
PROGRAMS = dict(re.findall(r"^## ([\w-]+)\n\n```ts\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL))
ELECTRODB, TOOLBOX = "ElectroDB", "dynamodb-toolbox"
VERSIONS = dict(re.findall(r"`([@\w/-]+)@(\d[\w.]*)`", TEXT))
"""What npm installs: the page names each with its version."""

FOUND = {
    ELECTRODB: "[page.data.length, rest.data.length, march.data.length, waiting.data.length, "
    "both.data.customer.length, both.data.order.length]",
    TOOLBOX: "[page.Items!.length, rest.Items!.length, march.Items!.length, waiting.Items!.length, "
    'both.Items!.filter((each) => "credit" in each).length, '
    'both.Items!.filter((each) => "total" in each).length]',
}
EXPECTED = [2, 2, 2, 4, 1, 5]
"""Items of the two pages, of the days, of the index, and of both kinds."""

MISTAKES = {
    "a `#` in the customer's id": {
        ELECTRODB: 'Customer.create({ customer: "c#1", name: "x" }).go()',
        TOOLBOX: 'Customer.build(PutItemCommand).item({ customer: "c#1", name: "x" }).send()',
    },
    "an empty id": {
        ELECTRODB: 'Customer.create({ customer: "", name: "x" }).go()',
        TOOLBOX: 'Customer.build(PutItemCommand).item({ customer: "", name: "x" }).send()',
    },
    "a tenth of a won": {
        ELECTRODB: 'Customer.create({ customer: "c2", name: "x", credit: 0.1 }).go()',
        TOOLBOX: 'Customer.build(PutItemCommand).item({ customer: "c2", name: "x", credit: 0.1 }).send()',
    },
    "a misspelt field in a change": {
        ELECTRODB: 'Customer.patch({ customer: "c1" }).set({ naem: "x" }).go()',
        TOOLBOX: 'Customer.build(UpdateItemCommand).item({ customer: "c1", naem: "x" }).send()',
    },
    "a text for a number in a change": {
        ELECTRODB: 'Customer.patch({ customer: "c1" }).set({ credit: "much" }).go()',
        TOOLBOX: 'Customer.build(UpdateItemCommand).item({ customer: "c1", credit: "much" }).send()',
    },
    "a change of a customer that is not there": {
        ELECTRODB: 'Customer.patch({ customer: "gone" }).add({ credit: 1 }).go()',
        TOOLBOX: 'Customer.build(UpdateItemCommand).item({ customer: "gone", credit: $add(1) }).send()',
    },
    "a credit below 0, its bound forgotten": {
        ELECTRODB: 'Customer.patch({ customer: "c1" }).subtract({ credit: 9999 }).go()',
        TOOLBOX: 'Customer.build(UpdateItemCommand).item({ customer: "c1", credit: $add(-9999) }).send()',
    },
    "a misspelt field in a filter": {
        ELECTRODB: 'Order.query.primary({ customer: "c1" }).where(({ totl }, { gt }) => gt(totl, 1)).go()',
        TOOLBOX: 'Shop.build(QueryCommand).query({ partition: "CUSTOMER#c1" }).entities(Order)'
        '.options({ filters: { Order: { attr: "totl", gt: 1 } } }).send()',
    },
}
INDEX_KEYS = {ELECTRODB: ("StatusPK", "StatusSK"), TOOLBOX: ("status", "SK")}


def table(library: str) -> dict[str, Any]:
    """What makes the table of a program."""
    names = dict.fromkeys(("PK", "SK", *INDEX_KEYS[library]))

    def schema(*keys: str) -> list[dict[str, str]]:
        return [{"AttributeName": n, "KeyType": k} for n, k in zip(keys, ("HASH", "RANGE"), strict=True)]

    index = "ByStatus" if library == ELECTRODB else "byStatus"
    return {
        "TableName": "Shop",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in names],
        "KeySchema": schema("PK", "SK"),
        "GlobalSecondaryIndexes": [
            {
                "IndexName": index,
                "KeySchema": schema(*INDEX_KEYS[library]),
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    }


# ── compiling ─────────────────────────────────────────────────────────────────────────────────────


def install(folder: Path) -> None:
    """The packages that the page names, and TypeScript."""
    (folder / "package.json").write_text('{"type": "module", "private": true}', encoding="utf-8")
    wanted = [f"{name}@{version}" for name, version in VERSIONS.items()]
    subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent", *wanted], cwd=folder, check=True)


def write(folder: Path) -> None:
    """Each program with what tells its answers, and its mistakes one by one behind what it declares."""
    for library, program in PROGRAMS.items():
        told = f"console.log(JSON.stringify({FOUND[library]}));"
        (folder / f"{library}.ts").write_text(f"{program}{told}\n", encoding="utf-8")
        declared = program[: program.index("// 2\n")]
        declared = "\n".join(line for line in declared.splitlines() if not line.startswith("await "))
        for number, made in enumerate(MISTAKES.values()):
            text = f"{declared}\nawait {made[library]};\n"
            (folder / f"{library}-{number}.ts").write_text(text, encoding="utf-8")


def compiled(folder: Path) -> set[str]:
    """The files that tsc refuses; all of them are compiled all the same."""
    options = ["--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck", "--types", "node"]
    files = sorted(path.name for path in folder.glob("*.ts"))
    done = subprocess.run(
        ["npx", "tsc", *options, *files], cwd=folder, capture_output=True, text=True, check=False
    )
    print(done.stdout)
    return set(re.findall(r"^([\w-]+)\.ts\(", done.stdout, re.MULTILINE))


# ── running ───────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def endpoint(folder: Path) -> Iterator[str]:
    """The address of an engine of our own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data = folder / "comparison.db"
    command = [sys.executable, "-m", "hansang", "dynamodb", "--data", str(data), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            for _ in range(600):
                with socket.socket() as asked:
                    if asked.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def ran(folder: Path, name: str, address: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["node", f"{name}.js"],
        cwd=folder,
        env={**os.environ, **KEYS, "AWS_ENDPOINT_URL_DYNAMODB": address},
        capture_output=True,
        text=True,
        check=False,
    )


KEYS = {"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any"}


class Shelf:
    """The table of a program, seen from outside."""

    def __init__(self, address: str) -> None:
        self._client: Any = boto3.client(
            "dynamodb",
            endpoint_url=address,
            region_name="us-east-1",
            aws_access_key_id="any",
            aws_secret_access_key="any",
        )

    def create(self, library: str) -> None:
        self._client.create_table(**table(library))

    def delete(self) -> None:
        self._client.delete_table(TableName="Shop")

    def items(self) -> Any:
        return self._client.scan(TableName="Shop")["Items"]

    def restore(self, before: Any) -> None:
        for item in self.items():
            self._client.delete_item(TableName="Shop", Key={name: item[name] for name in ("PK", "SK")})
        for item in before:
            self._client.put_item(TableName="Shop", Item=item)


def expect_done(folder: Path, library: str, address: str, shelf: Shelf) -> None:
    """Run a program, and look at what it found and what it has left."""
    done = ran(folder, library, address)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == EXPECTED, done.stdout
    items = shelf.items()
    totals = sorted(int(item["total"]["N"]) for item in items if "total" in item)
    assert totals == [100, 100, 100, 150, 300], totals
    assert [item["credit"]["N"] for item in items if "credit" in item] == ["0"]


def outcome(folder: Path, name: str, address: str, shelf: Shelf) -> str:
    before = shelf.items()
    done = ran(folder, name, address)
    if done.returncode:
        print(f"{name}: {next((line for line in done.stderr.splitlines() if 'rror' in line), '')}")
    is_same = shelf.items() == before
    shelf.restore(before)
    if done.returncode == 0:
        return "accepted"
    return "refused" if is_same else "written, then an error"


def mistakes(folder: Path, refused: set[str], address: str) -> str:
    """The page's table: what the compiler refuses, and what happens where it is not asked."""
    shelf = Shelf(address)
    columns: list[list[str]] = []
    for library in PROGRAMS:
        shelf.create(library)
        expect_done(folder, library, address, shelf)
        names = [f"{library}-{number}" for number in range(len(MISTAKES))]
        columns.append(["refused" if name in refused else "accepted" for name in names])
        columns.append([outcome(folder, name, address, shelf) for name in names])
        shelf.delete()
    heads = [head for library in PROGRAMS for head in (f"{library}: tsc", "run")]
    rows = [["", *heads], *map(list, zip(MISTAKES, *columns, strict=True))]
    lines = [f"| {' | '.join(each)} |" for each in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="where to install and run; a temporary one otherwise")
    given = parser.parse_args().folder
    with tempfile.TemporaryDirectory(dir=given) as name:
        folder = Path(name)
        install(folder)
        write(folder)
        refused = compiled(folder)
        with endpoint(folder) as address:
            found = mistakes(folder, refused, address)
    print(found)
    sys.exit(bool(refused & PROGRAMS.keys()) or found not in TEXT)


if __name__ == "__main__":
    main()
