"""The commands of the site: its items by type, drafts, searching, inquiries of a person, mail."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace as replaced
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer

from hansang.apps.codex.agents import AgentTools
from hansang.apps.codex.cli import migrate
from hansang.apps.codex.cli.place import by_operator, open_codex
from hansang.apps.codex.entities import ANY_TAG
from hansang.apps.codex.reading import PostState
from hansang.apps.codex.registry import EntityType
from hansang.apps.codex.service import Codex
from hansang.apps.codex.syncing import Syncer, open_target, turn_on
from hansang.clock import system_clock
from hansang.errors import InvalidInput
from hansang.parts.editing import Edit
from hansang.parts.permissions import check_scope_forms
from hansang.surfaces.cli.operators import operator
from hansang.surfaces.cli.support import AsJson, Place, new_group, print_json, print_rows, with_examples

group = new_group("The content of a company site: items, drafts, inquiries.")
group.add_typer(migrate.group, name="migrate")

TypeName = Annotated[str, typer.Argument(metavar="TYPE", help="The type, see hansang codex types.")]
ItemId = Annotated[str, typer.Argument(metavar="ID", help="The id of the item.")]
GivenFile = Annotated[str, typer.Argument(metavar="FILE", help="A JSON object; - is the standard input.")]
Tag = Annotated[
    str, typer.Option(metavar="TAG", help="The tag that was read; by default, whatever it is by now.")
]

_command = partial(with_examples, group)


@_command("""\
  hansang codex types""")
def types(data: Place = None, as_json: AsJson = False) -> None:
    """The types of the table, with their keys and attributes."""
    with open_codex(data) as codex:
        found = list(codex.registry)
    rows = [(each.name, _key(each), ", ".join(name for name, _, _ in each.slots())) for each in found]
    if as_json:
        print_json([{"type": name, "key": key, "attributes": names.split(", ")} for name, key, names in rows])
        return
    print_rows(("type", "key", "attributes"), rows, unbroken=("type",))


def _key(entity_type: EntityType) -> str:
    shape = entity_type.shape
    return shape.pk.text if shape.sk is None else f"{shape.pk.text} / {shape.sk.text}"


@_command(
    """\
  hansang codex list Post
  hansang codex list ContactInquiry --limit 100 --json""",
    "list",
)
def list_items(
    type_name: TypeName,
    limit: Annotated[int, typer.Option(min=1, max=1000, metavar="N", help="How many.")] = 20,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """All of a type, the newest first."""
    with open_codex(data) as codex:
        entity_type = codex.registry.get(type_name)
        found = [entity_type.document(each) for each in codex.verbs(type_name).page(limit)]
    if as_json:
        print_json(found)
        return
    rows = [(each["id"], each["CreatedAt"], _title(each)) for each in found]
    print_rows(("id", "created", "title"), rows, unbroken=("id", "created"))


def _title(document: dict[str, Any]) -> str:
    return next(
        (str(document[name]) for name in ("title", "displayName", "subject", "name") if document.get(name)),
        "",
    )


@_command("""\
  hansang codex show Post p01M591Z1E00WN6882GY70XHJNR
  hansang codex show CorpInfo corp-info""")
def show(type_name: TypeName, item_id: ItemId, data: Place = None) -> None:
    """One item and its tag, as JSON."""
    with open_codex(data) as codex:
        entity, tag = codex.verbs(type_name).get(item_id)
        print_json({"item": codex.registry.get(type_name).document(entity), "tag": tag})


@_command("""\
  hansang codex create Category category.json
  echo '{"title": "공지", "desc": ""}' | hansang codex create Category -""")
def create(type_name: TypeName, file: GivenFile, data: Place = None) -> None:
    """A new item of a type; its id and its times are made where they are not given."""
    with open_codex(data) as codex:
        _print(codex.registry.get(type_name), codex.verbs(type_name).create(_read(file), by_operator()))


@_command("""\
  hansang codex replace Banner bn001 banner.json --tag 5f0c2a9e5f0c2a9e5f0c""")
def replace(
    type_name: TypeName, item_id: ItemId, file: GivenFile, tag: Tag = ANY_TAG, data: Place = None
) -> None:
    """Another item in place of the one with this tag."""
    with open_codex(data) as codex:
        edit = codex.verbs(type_name).replace(item_id, _read(file), tag, by_operator())
        _print(codex.registry.get(type_name), edit)


@_command("""\
  hansang codex delete Banner bn001""")
def delete(type_name: TypeName, item_id: ItemId, tag: Tag = ANY_TAG, data: Place = None) -> None:
    """Delete an item; a post goes to the trash for thirty days, and an inquiry is erased."""
    with open_codex(data) as codex:
        codex.verbs(type_name).delete(item_id, tag, by_operator())
    typer.echo(f"{type_name} {item_id} is deleted.")


def _read(file: str) -> dict[str, Any]:
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
        found = json.loads(text)
    except (OSError, ValueError) as reason:
        raise InvalidInput(
            "{file} cannot be read as JSON: {reason}.",
            code="codex.unreadable-file",
            values={"file": file, "reason": reason},
        ) from None
    if not isinstance(found, dict):
        raise InvalidInput("An item is a JSON object.", code="codex.not-an-object")
    return found


def _print(entity_type: EntityType, edit: Edit[Any]) -> None:
    print_json({"item": entity_type.document(edit.subject), "tag": edit.etag})


# ── posts ─────────────────────────────────────────────────────────────────────────────────────────


@_command("""\
  hansang codex posts
  hansang codex posts --state scheduled""")
def posts(
    state: Annotated[
        str, typer.Option(metavar="STATE", help="published, draft, scheduled or trashed.")
    ] = "published",
    limit: Annotated[int, typer.Option(min=1, max=1000, metavar="N", help="How many.")] = 20,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Posts of a state with their authors and categories, the newest first."""
    if state not in get_args(PostState):
        raise InvalidInput(
            "{state} is not a state. Give published, draft, scheduled or trashed.",
            code="codex.no-state",
            values={"state": state},
        )
    with open_codex(data) as codex:
        found = codex.reading.rows(cast(PostState, state), limit).items
    if as_json:
        print_json([{name: getattr(each, name) for name in each.__slots__} for each in found])
        return
    rows = [(each.id, each.title, each.category, each.author, each.updated_at) for each in found]
    print_rows(("id", "title", "category", "author", "saved"), rows, unbroken=("id", "saved"))


@_command("""\
  hansang codex publish p01M591Z1E00WN6882GY70XHJNR""")
def publish(item_id: ItemId, data: Place = None) -> None:
    """Publish a draft now."""
    with open_codex(data) as codex:
        done = codex.drafts.publish(item_id, by_operator())
    typer.echo(f"{done.subject.title} is published.")


@_command("""\
  hansang codex restore p01M591Z1E00WN6882GY70XHJNR
  hansang codex restore p01M591Z1E00WN6882GY70XHJNR --category c002""")
def restore(
    item_id: ItemId,
    category: Annotated[
        str | None, typer.Option(metavar="ID", help="Another category; by default, where it was.")
    ] = None,
    data: Place = None,
) -> None:
    """Put a deleted post back."""
    with open_codex(data) as codex:
        done = codex.posts.restore(item_id, by_operator(), category)
    typer.echo(f"{done.subject.title} is back in {done.subject.category_id}.")


@_command("""\
  hansang codex search 사업 보고
  hansang codex search 사업 --limit 500 --json""")
def search(
    words: Annotated[list[str], typer.Argument(metavar="WORD", help="Every one has to be in the post.")],
    limit: Annotated[int, typer.Option("--limit", min=1, help="The most posts.")] = 20,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Published posts that have every word, the newest posts first, through all of them."""
    with open_codex(data) as codex:
        page = codex.reading.search(" ".join(words), limit)
        found = [*page.found]
        while page.cursor is not None and len(found) < limit:
            page = codex.reading.search(" ".join(words), limit - len(found), page.cursor)
            found += page.found
    if as_json:
        print_json(
            [{"id": each.post.id, "title": each.post.title, "snippet": each.snippet} for each in found]
        )
        return
    print_rows(("id", "title", "found"), [(each.post.id, each.post.title, each.snippet) for each in found])


# ── agents ────────────────────────────────────────────────────────────────────────────────────────


@_command("""\
  hansang codex mcp
  hansang codex mcp --scope codex:read --data site.db""")
def mcp(
    scope: Annotated[
        list[str] | None,
        typer.Option(metavar="AREA:ACTION", help="What the agent may do. [default: codex:write]"),
    ] = None,
    data: Place = None,
) -> None:
    """Serve the tools for agents on the standard input and output, over the Model Context Protocol."""
    try:
        from hansang.apps.codex.mcp_server import serve_stdio
    except ModuleNotFoundError:
        raise InvalidInput(
            "Agents need the package mcp. Install hansang[mcp].", code="codex.no-mcp"
        ) from None
    scopes = frozenset(scope or ["codex:write"])
    check_scope_forms(scopes)
    by = replaced(operator(), scopes=scopes)
    with open_codex(data) as codex:
        make = partial(Codex, clock=system_clock, settings=codex.settings)
        asyncio.run(serve_stdio(AgentTools(codex.desk.database, make, by)))


@_command("""\
  hansang codex sync --turn-on
  HANSANG_CODEX_SYNC_TO=file:changes.jsonl hansang codex sync""")
def sync(
    is_on: Annotated[bool, typer.Option("--turn-on", help="Turn the stream of the table on first.")] = False,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Bring what has changed to HANSANG_CODEX_SYNC_TO; the job codex-sync does the same."""
    with open_codex(data) as codex:
        if is_on:
            turn_on(codex.desk.database)
        if not codex.settings.sync_to:
            if not is_on:
                raise InvalidInput("Set HANSANG_CODEX_SYNC_TO first.", code="codex.no-sync")
            typer.echo("The stream is on.")
            return
        target = open_target(codex.settings.sync_to, codex.settings.sync_secret)
        count = Syncer(codex.desk.database, target).run()
    if as_json:
        print_json({"changes": count})
        return
    typer.echo(f"{count:,} changes.")


# ── inquiries ─────────────────────────────────────────────────────────────────────────────────────


@_command("""\
  hansang codex person user@example.com > person.json""")
def person(
    email: Annotated[str, typer.Argument(metavar="EMAIL", help="The address of the person.")],
    data: Place = None,
) -> None:
    """Everything that a person has sent, as JSON."""
    with open_codex(data) as codex:
        print_json([codex.inquiries.type.document(each) for each in codex.inquiries.each_of(email)])


@_command("""\
  hansang codex erase user@example.com""")
def erase(
    email: Annotated[str, typer.Argument(metavar="EMAIL", help="The address of the person.")],
    data: Place = None,
) -> None:
    """Erase everything that a person has sent, also from the history."""
    with open_codex(data) as codex:
        count = codex.inquiries.erase(email, by_operator())
    typer.echo(f"{count:,} inquiries erased.")


@_command(
    """\
  hansang codex send-mail""",
    "send-mail",
)
def send_mail(data: Place = None, as_json: AsJson = False) -> None:
    """Send the mails that wait; the job codex-mail does the same."""
    with open_codex(data) as codex:
        if not codex.notices.is_on:
            raise InvalidInput("Set HANSANG_CODEX_MAIL first.", code="codex.no-mail")
        sent, failed = codex.notices.send_due()
        waiting = len(codex.notices.outbox.waiting())
    if as_json:
        print_json({"sent": sent, "failed": failed, "waiting": waiting})
        return
    typer.echo(f"{sent:,} sent, {failed:,} failed, {waiting:,} wait.")
