"""The clients on the page of the leaderboards: the JavaScript one runs against a server, in Node."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from playwright._impl._driver import compute_driver_executable

from hansang.apps.leaderboards.application import APPLICATION
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.tokens import PlayTokens
from hansang.surfaces.http.frame import Frame
from hansang.surfaces.server.http_server import HttpServer
from hansang.surfaces.server.sockets import bound, resolved, url_of
from hansang.surfaces.shell import Shell
from tests.apps.leaderboards.api.test_leaderboards import routes
from tests.clauses import clause
from tests.surfaces.shells import SetClock, opened

PAGE = Path(__file__).parents[3] / "docs" / "leaderboards.md"
SECRET = "s" * 32
LARGE = 2**53 + 1
SCRIPT = """
import { Boards } from "./boards.mjs";
const [address, first, second] = process.argv.slice(2);
const boards = new Boards(address);
const submitted = await boards.submit(8, "Kim", 500, first);
const again = await boards.submit(8, "Kim", 500, first);
const other = await boards.submit("LARGE", "Lee", 600, second);
const refused = await boards.submit(8, "Kim", 700, second).catch((fault) => fault.code);
const [board, rank] = [await boards.board({ size: 2 }), await boards.rank(8)];
console.log(JSON.stringify({ submitted, again, other, refused, board, rank }));
""".replace("LARGE", str(LARGE))


def snippet(language: str) -> str:
    [found] = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return str(found)


def node() -> str:
    """Node, or the one that Playwright brings along."""
    return shutil.which("node") or str(compute_driver_executable()[0])


@contextmanager
def serving(shell: Shell) -> Iterator[str]:
    """A server of public boards that want a token; its address."""
    public = replace(shell, chosen={"leaderboards": LeaderboardsSettings(public=True, token_secret=SECRET)})
    listener = bound(resolved("127.0.0.1", 0)[0])
    server = HttpServer(Frame(routes(public), public), grace=20)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield url_of(listener)
    finally:
        server.should_exit = True
        thread.join()


def ran(folder: Path, *arguments: str) -> dict[str, Any]:
    (folder / "boards.mjs").write_text(snippet("js"), encoding="utf-8")
    (folder / "play.mjs").write_text(SCRIPT, encoding="utf-8")
    command = [node(), str(folder / "play.mjs"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@clause("X2-19", "X2-25")
def test_the_client_in_javascript_submits_a_score_with_a_token_and_reads_a_board(
    clock: SetClock, tmp_path: Path
) -> None:
    tokens = PlayTokens(SECRET, clock)
    with opened(clock, applications=(APPLICATION,)) as shell, serving(shell) as address:
        found = ran(tmp_path, address, tokens.new(8), tokens.new(LARGE))
    assert (found["submitted"]["rank"], found["submitted"]["improved"]) == (1, True)
    assert (found["again"]["best"], found["again"]["improved"]) == (500, False), "sent again, it does no harm"
    assert (found["other"]["rank"], found["other"]["of"]) == (1, 2)
    assert found["refused"] == "invalid-input", "a token of another player"
    assert [(row["rank"], row["id"], row["score"]) for row in found["board"]["items"]] == [
        (1, str(LARGE), 600),
        (2, 8, 500),
    ]
    assert found["rank"]["next"] == {"id": str(LARGE), "name": "Lee", "score": 600, "gap": 100}


def test_the_client_in_c_sharp_uses_the_same_addresses() -> None:
    """Nothing here runs Unity: what can be told apart from it is whether it asks what there is to ask."""
    asked = re.findall(r"/api/leaderboards(/[a-z/{}]+)", snippet("csharp"))
    assert asked == ["/scores", "/weeks/current/board"]
