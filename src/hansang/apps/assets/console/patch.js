// Brings the page up to date from an answer: parts change in place, so that focus, scroll and what is being typed stay.

import { sayNodes } from "../frame.js";

const DIALOGS = ["pasted", "both"];
const open = new Set();

export function patch(page) {
  const isSame = keysOf(document) === keysOf(page);
  if (isSame) {
    for (const next of page.querySelectorAll("[data-patch]")) patchPart(next);
  } else {
    replaceAll(page);
  }
  for (const key of open) showLines(key, true);
  showDialogs(page);
  tell(page);
  document.dispatchEvent(new Event("patched"));
}

function keysOf(root) {
  return [...root.querySelectorAll("[data-patch]")].map((each) => each.dataset.patch).join("\n");
}

function find(root, key) {
  return root.querySelector(`[data-patch="${CSS.escape(key)}"]`);
}

function patchPart(next) {
  const old = find(document, next.dataset.patch);
  if (old.isEqualNode(next)) return;
  if (!old.matches("tr")) return void old.replaceWith(document.adoptNode(next));
  const focused = [...old.cells].findIndex((cell) => cell.contains(document.activeElement));
  const fresh = [...next.cells].map((cell) => document.adoptNode(cell));
  [...old.cells].forEach((cell, place) => {
    if (!fresh[place]) return;
    if (cell.querySelector("[data-editing]")) cell.newer = fresh[place]; // for when what is typed is given up
    else cell.replaceWith(fresh[place]);
  });
  if (focused >= 0) old.cells[focused].querySelector("button.cell")?.focus({ preventScroll: true });
}

/** Rows have come or gone: the grid and the side are taken whole, unless somebody is typing there. */
function replaceAll(page) {
  const at = document.activeElement?.closest("tr[data-row]")?.dataset.row;
  const by = document.activeElement?.dataset?.by;
  const editing = document.querySelector("[data-editing]");
  for (const selector of ["[data-patch=glance]", "[data-grid]", ".running", ".column.beside", "[data-patch=empty]"]) {
    const old = document.querySelector(selector);
    const next = page.querySelector(selector);
    if (!old) continue;
    if (old.contains(editing)) continue;
    if (next) old.replaceWith(document.adoptNode(next));
    else old.remove();
  }
  if (at && !editing) cellOf(at, by)?.focus({ preventScroll: true });
}

export function cellOf(row, by) {
  const line = document.querySelector(`tr[data-row="${CSS.escape(row)}"]`);
  return [...(line?.querySelectorAll("button.cell") ?? [])].find((each) => each.dataset.by === (by ?? ""));
}

function showDialogs(page) {
  for (const id of DIALOGS) {
    document.getElementById(id)?.remove();
    const next = page.getElementById(id);
    if (!next) continue;
    document.querySelector("main").append(document.adoptNode(next));
    next.showModal();
  }
}

/** What was done is said to the eye and to screen readers, with the way back. */
function tell(page) {
  const said = page.querySelector("template[data-said]");
  if (said) sayNodes(...document.importNode(said.content, true).childNodes);
}

export function showLines(key, isOpen) {
  const detail = document.querySelector(`tr[data-detail="${CSS.escape(key)}"]`);
  const button = document.querySelector(`tr[data-row="${CSS.escape(key)}"] [data-lines]`);
  if (!detail || !button) return;
  if (isOpen) open.add(key);
  else open.delete(key);
  detail.hidden = !isOpen;
  button.setAttribute("aria-expanded", String(isOpen));
}
