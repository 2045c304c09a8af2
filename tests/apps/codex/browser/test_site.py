"""From an empty site to an answered inquiry, and everything that could run on the way: nothing does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import BrowserContext, FilePayload, Page, expect

from tests.browser.browsing import HANG_MS, Browsing
from tests.surfaces.cli.test_up import Up, up

EVIL = "<img src=x onerror=\"document.title='hacked'\"><script>document.title='hacked'</script>\"'`onload=x"
MARKDOWN = """
<script>document.title='hacked'</script>
<img src=x onerror="document.title='hacked'">
[click](javascript:document.title='hacked') [data](data:text/html,<script>document.title='hacked'</script>)
![x](x" onerror="document.title='hacked')
<svg onload="document.title='hacked'"></svg> <a href="vbscript:x">v</a>

~~~<script>
document.title='hacked'
~~~
"""
HANDLERS = """() => [...document.querySelectorAll('main *')].filter((each) =>
  [...each.attributes].some((own) => own.name.startsWith('on') || /^(javascript|data|vbscript):/i.test(own.value)))
  .map((each) => each.outerHTML.slice(0, 100))"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    data = tmp_path_factory.mktemp("codex") / "site.db"
    words = ("--data", data, "--app", "codex", "--no-jobs", "--rate", "100000")
    with up(*words, HANSANG_CODEX_PUBLIC="yes", HANSANG_CODEX_INQUIRIES_A_MINUTE="100") as found:
        yield found


@pytest.fixture(scope="module")
def owner_state(server: Up, browsing: Browsing) -> Iterator[dict[str, object]]:
    """The cookies of the owner, who has signed in by the link of the first start."""
    with browsing.browser.new_context(base_url=server.address.url, locale="en-US") as context:
        page = context.new_page()
        assert server.link is not None
        page.goto(server.link)
        page.locator("main form button").first.click()
        page.wait_for_url("**/account**")
        yield dict(context.storage_state())


@pytest.fixture
def owner(server: Up, browsing: Browsing, owner_state: dict[str, object]) -> Iterator[Page]:
    with browsing.browser.new_context(
        base_url=server.address.url,
        locale="en-US",
        storage_state=owner_state,  # type: ignore[arg-type]
    ) as context:
        yield opened(context)


@pytest.fixture
def visitor(server: Up, browsing: Browsing) -> Iterator[Page]:
    with browsing.browser.new_context(base_url=server.address.url, locale="en-US") as context:
        yield opened(context)


def opened(context: BrowserContext) -> Page:
    page = context.new_page()
    page.set_default_timeout(HANG_MS)
    return page


def settled_in(owner: Page) -> None:
    """A company with one category and one who writes, made by hand if nobody has yet."""
    owner.goto("/codex/users")
    if owner.get_by_text("Hana Kim").count():
        return
    owner.get_by_label("Name").fill("Hana Kim")
    owner.get_by_role("button", name="Save").click()
    owner.goto("/codex/categories")
    owner.get_by_label("Name").fill("News")
    owner.get_by_role("button", name="Save").click()
    owner.goto("/codex/company")
    owner.get_by_label("Company name").fill("Durubit")
    owner.get_by_label("Main e-mail").fill("hello@durubit.example")
    owner.get_by_role("button", name="Save").click()
    expect(owner.locator("[data-toast]")).to_contain_text("Saved")


def write(owner: Page, title: str, text: str) -> None:
    """Write a post and publish it; the draft is saved by itself before."""
    owner.goto("/codex/posts/new")
    owner.get_by_label("Title").fill(title)
    owner.get_by_label("Category").select_option("News")
    owner.get_by_label("Author").select_option("Hana Kim")
    owner.get_by_label("Text", exact=True).fill(text)
    expect(owner.locator("[data-save-state]")).to_contain_text("Draft saved")
    owner.locator("[data-publish]").click()
    owner.get_by_role("button", name="Publish", exact=True).click()
    expect(owner.locator("[data-toast]")).to_contain_text("It is published")


def make_banner(owner: Page, title: str) -> None:
    owner.goto("/codex/banners/new")
    owner.locator("#f-title").fill(title)
    owner.locator("#f-desc").fill(title)
    owner.locator("#f-btn1_text").fill("Read it")
    owner.locator("#f-btn1_uri").fill("/site/posts")
    owner.locator("#f-img_uri").fill("/static/x/codex/sample-shop.svg")
    expect(owner.locator("[data-part=title]")).to_have_text(title)
    owner.get_by_role("button", name="Save").click()
    expect(owner.locator("[data-toast]")).to_contain_text("Saved")


def ask(visitor: Page, name: str, message: str) -> None:
    visitor.goto("/site/contact")
    visitor.locator("#c-name").fill(name)
    visitor.locator("#c-email").fill("mina@mail.example")
    visitor.locator("#c-subject").fill(name)
    visitor.locator("#c-message").fill(message)
    visitor.locator("#c-consent").check()
    visitor.get_by_role("button", name="Send").click()
    expect(visitor.get_by_role("heading", level=1)).to_have_text("We have it, thank you")


def test_from_an_empty_site_to_an_answered_inquiry(owner: Page, visitor: Page) -> None:
    settled_in(owner)
    write(owner, "Opening day", "We **open** on Monday.")
    make_banner(owner, "Come and see")
    visitor.goto("/site")
    expect(visitor.locator(".hero h2")).to_have_text("Come and see")
    visitor.get_by_role("heading", name="Opening day").click()
    expect(visitor.locator(".prose strong")).to_have_text("open")
    ask(visitor, "Mina", "Do you deliver?")
    owner.goto("/codex/inquiries")
    owner.get_by_role("link", name="Mina").click()
    expect(owner.locator(".message-text").first).to_have_text("Do you deliver?")
    owner.locator("#reply-text").fill("Yes, on Fridays.")
    owner.get_by_label("Send and be done").check()
    owner.get_by_role("button", name="Send the answer").click()
    expect(owner.locator(".answered")).to_contain_text("Yes, on Fridays.")
    expect(owner.locator("#i-status")).to_have_value("done")


def small_picture() -> bytes:
    found = BytesIO()
    Image.new("RGB", (24, 16), "#c96").save(found, "PNG")
    return found.getvalue()


FILE_NAME = "<img src=x onerror=document.title='hacked'>](javascript:document.title='hacked').png"
SVG = b"""<svg xmlns="http://www.w3.org/2000/svg"><script>document.title='hacked'</script></svg>"""
PASTE = """([name, type, bytes]) => {
  const given = new DataTransfer();
  given.items.add(new File([new Uint8Array(bytes)], name, { type }));
  const text = document.querySelector("#e-contents");
  text.focus();
  text.dispatchEvent(new ClipboardEvent("paste", { clipboardData: given, bubbles: true, cancelable: true }));
}"""


def test_pictures_are_uploaded_from_the_editor_and_the_banner_form(owner: Page) -> None:
    """Chosen, pasted and dropped; an SVG is refused with the reason; the name of a file is a text and no more."""
    picture, text = small_picture(), owner.get_by_label("Text", exact=True)
    chosen: FilePayload = {"name": FILE_NAME, "mimeType": "image/png", "buffer": picture}
    owner.goto("/codex/posts/new")
    owner.locator("[data-choose-picture]").set_input_files(chosen)
    expect(text).to_have_value(re.compile(r"^!\[[^\]()<>]+\]\(/api/codex/pictures/[0-9a-f]{32}\.png\)\n$"))
    expect(owner.locator("[data-read] img")).to_have_js_property("naturalWidth", 24)
    owner.evaluate(PASTE, ["pasted.png", "image/png", list(picture)])
    expect(text).to_have_value(re.compile(r"!\[pasted\]\(/api/codex/pictures/[0-9a-f]{32}\.png\)\n$"))
    owner.evaluate(
        PASTE.replace('ClipboardEvent("paste", { clipboardData', 'DragEvent("drop", { dataTransfer'),
        [f"{FILE_NAME}.svg", "image/svg+xml", list(SVG)],
    )
    expect(owner.locator(".uploads .refused")).to_contain_text("SVG is not taken")
    expect(owner.locator(".uploads .refused span")).to_have_text(f"{FILE_NAME}.svg")
    assert (owner.evaluate(HANDLERS), owner.title() == "hacked") == ([], False)
    expect(owner.locator("[data-save-state]")).to_contain_text("Draft saved")
    owner.goto("/codex/banners/new")
    owner.locator("[data-choose-picture]").set_input_files({**chosen, "name": "shop.png"})
    expect(owner.locator("#f-img_uri")).to_have_value(re.compile(r"^/api/codex/pictures/[0-9a-f]{32}\.png$"))
    expect(owner.locator("#f-img_alt")).to_have_value("shop")
    expect(owner.locator("[data-part=picture]")).to_have_js_property("naturalWidth", 24)


def test_nothing_that_somebody_stores_runs(owner: Page, visitor: Page) -> None:
    settled_in(owner)
    write(owner, EVIL, MARKDOWN)
    post = owner.url
    make_banner(owner, EVIL)
    ask(visitor, EVIL[:100], MARKDOWN)
    visitor.goto("/site")
    visitor.locator(".post-list a").first.click()
    visitor.wait_for_url("**/site/posts/**")
    shown = visitor.url
    for page, paths in (
        (visitor, ("/site", "/site/posts", "/site/search?q=hacked", shown)),
        (
            owner,
            (
                "/codex",
                post,
                f"{post}/revisions",
                "/codex/banners",
                "/codex/inquiries",
                shown,
                "/search?q=img",
            ),
        ),
    ):
        for path in paths:
            page.goto(path)
            assert (path, page.title() == "hacked") == (path, False)
            assert (path, page.evaluate(HANDLERS)) == (path, [])
