// The pages of the rankings: views of a phone, the address to copy, and what the keys do with the row they have come to.

import { say } from "../frame.js";

function letter(event) {
  return /^Key(.)$/.exec(event.code)?.[1].toLowerCase() ?? event.key;
}

/** The keys before it, such as j, may still wait for their script: what they do comes first. */
async function onKey(event) {
  const key = letter(event);
  if (!"pc".includes(key) || event.ctrlKey || event.metaKey || event.altKey) return;
  await import("../shortcuts.js");
  act(key);
}

/** p pins the player of the row that has the focus, c brings the player into the comparison. */
function act(key) {
  const row = document.activeElement?.closest("[data-board] tr[data-uuid]");
  if (!row?.dataset.uuid) return;
  if (key === "p") send(`/rankings/players/${encodeURIComponent(row.dataset.uuid)}/pin`);
  if (key === "c") location.href = row.closest("[data-board]").dataset.compare + encodeURIComponent(row.dataset.uuid);
}

function send(action) {
  const form = document.querySelector("[data-pin-form]");
  form.action = action;
  form.requestSubmit();
}

/** On a phone a page shows one of its parts at a time. */
function onView(event) {
  const button = event.target.closest("[data-view]");
  if (!button) return;
  document.querySelector("[data-views]").dataset.views = button.dataset.view;
  for (const each of document.querySelectorAll("[data-view]")) {
    each.setAttribute("aria-pressed", String(each === button));
  }
}

async function onCopy(event) {
  const button = event.target.closest("[data-copy-address]");
  if (!button) return;
  try {
    await navigator.clipboard.writeText(location.href);
    say(button.dataset.copyAddress);
  } catch {
    // Without HTTPS there is no clipboard: the address stands in the browser's own field.
  }
}

document.addEventListener("keydown", onKey);
document.addEventListener("click", onView);
document.addEventListener("click", onCopy);
