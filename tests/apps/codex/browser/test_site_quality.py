"""The pages of the public site by the measures of Lighthouse: sizes, headings, targets, and bytes."""

from __future__ import annotations

from tests.browser.browsing import Opening

MOST_BYTES = 80_000
"""What a page may weigh on the wire without its pictures."""
FAULTS = """() => {
  const faults = []
  const all = (what) => [...document.querySelectorAll(what)]
  const shown = (each) => each.checkVisibility() && each.getBoundingClientRect().right > 0
  const named = (each) => each.outerHTML.slice(0, 90)
  if (all('h1').length !== 1) faults.push(`${all('h1').length} h1`)
  let before = 0
  for (const each of all('h1, h2, h3, h4, h5, h6')) {
    const level = Number(each.tagName[1])
    if (level > before + 1) faults.push(`h${level} after h${before}: ${named(each)}`)
    before = level
  }
  for (const each of all('a[href], button, input:not([type=hidden]), select, textarea, summary')) {
    const target = each.closest('label') ?? each
    if (!shown(target) || getComputedStyle(target).display === 'inline') continue
    if (each.closest('.skip, [aria-hidden=true]')) continue
    const { width, height } = target.getBoundingClientRect()
    if (width < 24 || height < 24) faults.push(`target of ${width} x ${height}: ${named(each)}`)
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let each = texts.nextNode(); each; each = texts.nextNode()) {
    const size = parseFloat(getComputedStyle(each.parentElement).fontSize)
    if (each.data.trim() && shown(each.parentElement) && size < 12) faults.push(`${size} px: ${each.data.trim()}`)
  }
  for (const each of all('img')) {
    if (!each.hasAttribute('alt')) faults.push(`no alt: ${named(each)}`)
    if (!each.getAttribute('width') || !each.getAttribute('height')) faults.push(`no size: ${named(each)}`)
  }
  if (!document.querySelector('meta[name=description]')?.content) faults.push('no description')
  if (!document.documentElement.lang) faults.push('no lang')
  if (!document.querySelector('meta[name=viewport]')) faults.push('no viewport')
  if (document.documentElement.scrollWidth > innerWidth) faults.push('wider than the screen')
  return faults
}"""
WEIGHT = """() => performance.getEntries()
  .filter((each) => 'transferSize' in each && each.initiatorType !== 'img')
  .reduce((sum, each) => sum + each.transferSize, 0)"""


def test_every_page_of_the_site_keeps_the_measures_of_a_phone(opened: Opening) -> None:
    page = opened("seoyeon", width=390).page()
    faults: dict[str, list[str]] = {}
    page.goto("/site")
    first = page.locator(".post-list a").first.get_attribute("href")
    category = page.locator(".site-nav a").first.get_attribute("href")
    for path in ("/site", "/site/posts", category, first, "/site/search?q=고객", "/site/contact"):
        page.goto(path or "/site")
        found: list[str] = page.evaluate(FAULTS)
        weight = page.evaluate(WEIGHT)
        if weight > MOST_BYTES:
            found.append(f"{weight} bytes")
        faults |= {str(path): found} if found else {}
    assert not faults, "\n".join(f"{path}: {each}" for path, found in faults.items() for each in found)
