// The page of a month: the grid, the keypad, pasting, and what waits for a connection.

import { say } from "../frame.js";
import { edit, startCells, words } from "./cells.js";
import { follow } from "./follow.js";
import { startPad } from "./pad.js";
import { cellOf, patch } from "./patch.js";
import { flush, send, start } from "./queue.js";

const FLASH = 4000;
const ledger = document.querySelector("[data-ledger]");
const offline = document.querySelector("[data-offline]");

/** What waits is shown in its cells; that there is no connection is said at the top. */
function onWaiting(items, isOffline = false) {
  const count = items.length;
  if (!count || isOffline || !navigator.onLine) {
    offline.hidden = !count;
    const about = offline.querySelector("[data-offline-about]");
    about.textContent = about.dataset.text.replace("{count}", count);
  }
  for (const { about } of items) cellOf(about.row, about.by)?.classList.add("waiting");
}

function onAnswer({ about, fields }, { status, page }) {
  if (!page.querySelector("[data-ledger]")) return;
  const isHere = page.querySelector("[data-ledger]").dataset.month === ledger?.dataset.month;
  if (!isHere) return void say(page.querySelector("template[data-said]")?.content.querySelector("span")?.textContent ?? "");
  patch(page);
  const cell = cellOf(about.row, about.by);
  if (status === 422 && cell) return edit(cell, new Map(fields).get("text"));
  cell?.classList.add("flash");
  setTimeout(() => cellOf(about.row, about.by)?.classList.remove("flash"), FLASH);
}

/** A block that is pasted upon a cell is looked at before it is entered. */
function onPaste(event) {
  const cell = event.target.closest?.("td.p")?.querySelector("button.cell");
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (!cell || (event.target.matches("input") && !/[\t\n]/.test(text.trim()))) return;
  event.preventDefault();
  const row = cell.closest("tr");
  const column = [...row.querySelectorAll("td.p")].indexOf(cell.closest("td"));
  send(`${ledger.dataset.path}/paste`, [["text", text], ["at", row.dataset.row], ["column", String(column)]]);
}

function onSubmit(event) {
  const form = event.target;
  if (!form.matches("[data-in-place]")) return;
  event.preventDefault();
  form.closest("dialog")?.close();
  send(new URL(form.action).pathname, [...new FormData(form)].filter(([name]) => name !== "csrf"));
}

function onUndoKey(event) {
  const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.code === "KeyZ";
  if (!isUndo || event.target.matches("input, textarea")) return;
  const form = document.querySelector("[data-toast] form") ?? document.querySelector("[data-patch=changes] form");
  event.preventDefault();
  form?.requestSubmit();
}

if (words.add) {
  startCells();
  startPad();
  start({ onAnswer, onWaiting, csrf: () => ledger.dataset.csrf });
  document.addEventListener("paste", onPaste);
  document.addEventListener("submit", onSubmit, true);
  document.addEventListener("keydown", onUndoKey);
  document.addEventListener("visibilitychange", () => document.hidden || flush());
}

if (ledger?.dataset.topic) follow(ledger.dataset.topic);
