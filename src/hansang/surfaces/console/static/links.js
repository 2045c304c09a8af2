// Links that lead away from the page.

/** Whether a link leads to another page of ours, in this tab. */
export function leadsAway(link) {
  const isHere = link.pathname === location.pathname && link.search === location.search;
  return !isHere && !link.target && !link.hasAttribute("download") && link.origin === location.origin;
}

/** The link that a click follows in this tab, if it does. */
export function followed(event) {
  const link = event.target.closest("a[href]:not([data-palette], [data-sheet])");
  const isPlain = !event.button && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  return link && isPlain && !event.defaultPrevented && leadsAway(link) ? link : null;
}
