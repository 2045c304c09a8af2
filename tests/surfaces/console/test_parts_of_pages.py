"""What a live page asks for: its main part, and only when it is another one."""

from __future__ import annotations

from hansang.surfaces.shell import Shell
from tests.surfaces.console.changed import created
from tests.surfaces.console.conftest import Visitor

PART = {"X-Part": "main"}


def test_a_live_page_gets_its_main_part_alone(visitor: Visitor) -> None:
    client = visitor("owner", "en").client
    whole, part = client.get("/admin/jobs"), client.get("/admin/jobs", headers=PART)
    main = part.text.partition("</main>")[0]
    assert main.startswith("<main")
    assert main in whole.text
    assert "As of" in part.text
    assert "<nav aria-label" not in part.text
    assert len(part.text) < len(whole.text) / 2


def test_what_is_the_same_does_not_come_again(visitor: Visitor, shell: Shell) -> None:
    client = visitor("owner", "en").client
    tag = client.get("/changes", headers=PART).headers["etag"]
    again = client.get("/changes", headers=PART | {"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    created(shell)
    other = client.get("/changes", headers=PART | {"If-None-Match": tag})
    assert (other.status_code, "BANNER" in other.text) == (200, True)


def test_a_page_that_cannot_be_shown_is_no_part(visitor: Visitor) -> None:
    assert visitor("owner").client.get("/changes/nope", headers=PART).status_code == 404
