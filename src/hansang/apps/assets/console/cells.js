// The cells of the grid: arrows move, typing edits, Enter saves and goes down, sums run along while one types.

import { readAmount, written } from "./amounts.js";
import { cellOf, showLines } from "./patch.js";
import { send } from "./queue.js";

const TOTALS = {
  income: "total_income",
  "fixed-expense": "total_expense",
  "living-expense": "total_expense",
  savings: "total_savings",
  investment: "total_investment",
  "short-savings": "total_short_savings",
};
const DRAFT = "assets:typing";
const ledger = document.querySelector("[data-ledger]");
export const words = JSON.parse(document.querySelector("template[data-words]")?.content.textContent ?? "{}");
let editing = null;

// ── where ──

function grid() {
  return document.querySelector("[data-grid]");
}

function place(button) {
  const row = button.closest("tr");
  return { row, kind: row.closest("tbody").dataset.kind, by: button.dataset.by, column: row.cells.length - [...row.cells].indexOf(button.closest("td")) };
}

/** The cells of a row by their place among the people, with null where there can be none. */
function cellsOf(row) {
  return [...row.querySelectorAll("td.p")].map((cell) => cell.querySelector("button.cell"));
}

export function move(button, down, right) {
  const rows = [...grid().querySelectorAll("tr[data-row]")].filter((row) => row.offsetParent);
  let at = rows.indexOf(button.closest("tr"));
  let column = [...button.closest("tr").querySelectorAll("td.p")].indexOf(button.closest("td"));
  for (;;) {
    at += down;
    column += right;
    if (right && column >= cellsOf(rows[at]).length) [at, column] = [at + 1, 0];
    if (right && column < 0) [at, column] = [at - 1, cellsOf(rows[at - 1] ?? rows[0]).length - 1];
    if (!rows[at]) return null;
    const next = cellsOf(rows[at])[column];
    if (next) return focus(next);
  }
}

function focus(button) {
  for (const each of grid().querySelectorAll('button.cell[tabindex="0"]')) each.tabIndex = -1;
  button.tabIndex = 0;
  button.focus();
  return button;
}

// ── sending ──

export function fieldsFor(kind, parts, by, text, more = {}) {
  const named = kind === "income" ? [by, parts.at(-1)] : parts;
  return [["kind", kind], ...named.map((part) => ["part", part]), ["by", by], ["text", text], ...Object.entries(more)];
}

function save(button, text, mode, memo = "") {
  const { row, kind, by } = place(button);
  const more = { mode, memo, was: button.dataset.v ?? "0", ...(memo || mode === "add" ? { date: dayOf() } : {}) };
  const fields = fieldsFor(kind, JSON.parse(row.dataset.parts), by, text, more);
  send(`${ledger.dataset.path}/cells`, fields, { row: row.dataset.row, by, text });
}

/** Today, if it lies in the month; else its last day. */
function dayOf() {
  const [year, month] = ledger.dataset.month.split(".");
  const { today } = ledger.dataset;
  if (today.startsWith(`${year}-${month}`)) return today;
  return new Date(Date.UTC(Number(year), Number(month), 0)).toISOString().slice(0, 10);
}

// ── editing ──

export function edit(chosen, first = null) {
  const { row, kind, by } = place(chosen);
  close();
  const button = cellOf(row.dataset.row, by) ?? chosen;
  const cell = button.closest("td");
  const input = document.createElement("input");
  Object.assign(input, { className: "cell-input", autocomplete: "off", enterKeyHint: "done", value: first ?? button.dataset.v ?? "" });
  input.dataset.editing = "";
  input.setAttribute("aria-label", `${row.dataset.name} ${button.dataset.by || words.together}`);
  const pop = document.createElement("div");
  pop.className = "cell-pop";
  cell.classList.add("editing");
  cell.append(input, pop);
  button.hidden = true;
  editing = { button, row, kind, cell, input, pop, memo: "" };
  if (first === null) input.select();
  input.addEventListener("input", onInput);
  input.addEventListener("keydown", onEditKey);
  input.focus();
  onInput();
}

/** A first + or = forces one of the two; else lines are added to, and a plain cell is replaced. */
function read() {
  const { input, button } = editing;
  const forced = { "+": "add", "=": "set" }[input.value.trim()[0]];
  const text = forced === "set" ? input.value.trim().slice(1) : input.value.trim();
  const usual = forced ?? ("lined" in button.dataset ? "add" : "set");
  return { text, usual, other: usual === "add" ? "set" : "add", amount: text ? readAmount(text) : null };
}

function onInput() {
  const { button, input, pop, row } = editing;
  const { text, usual, other, amount } = read();
  sessionStorage.setItem(DRAFT, JSON.stringify({ month: ledger.dataset.month, row: row.dataset.row, by: button.dataset.by, text: input.value }));
  const before = valueOf(newest());
  input.toggleAttribute("aria-invalid", Boolean(text) && amount === null);
  previewTyped();
  if (!text) return pop.replaceChildren();
  if (amount === null) return pop.replaceChildren(paragraph("pop-bad", words.unread));
  const modes = document.createElement("div");
  modes.className = "pop-modes";
  for (const [mode, keys, isOn] of [[usual, "Enter", true], [other, "Ctrl Enter", false]]) {
    modes.append(modeButton(mode, keys, isOn, mode === "add" ? before + amount : amount));
  }
  const memo = document.createElement("label");
  memo.className = "pop-memo";
  const box = Object.assign(document.createElement("input"), { value: editing.memo, placeholder: words.memo, maxLength: 200, autocomplete: "off" });
  box.setAttribute("aria-label", words.memo);
  box.addEventListener("input", () => (editing.memo = box.value));
  box.addEventListener("keydown", onEditKey);
  memo.append(box);
  pop.replaceChildren(sumLine(text, amount), modes, memo);
}

function paragraph(name, text) {
  return Object.assign(document.createElement("p"), { className: name, textContent: text });
}

function sumLine(text, amount) {
  const line = paragraph("pop-sum", "");
  const sum = Object.assign(document.createElement("b"), { textContent: `${written(amount)}${words.won}` });
  line.append(Object.assign(document.createElement("span"), { textContent: text }), sum);
  return line;
}

function modeButton(mode, keys, isOn, result) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: isOn ? "on" : "", tabIndex: -1 });
  const name = Object.assign(document.createElement("span"), { textContent: `${words[mode]} ` });
  name.append(Object.assign(document.createElement("kbd"), { textContent: keys }));
  button.append(name, Object.assign(document.createElement("b"), { textContent: words.becomes.replace("{amount}", written(result)) }));
  button.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    finish(mode, 1, 0);
  });
  return button;
}

function onEditKey(event) {
  if (event.isComposing) return;
  const { usual, other } = read();
  if (event.key === "Enter") finish(event.ctrlKey || event.metaKey ? other : usual, 1, 0, event);
  else if (event.key === "Tab" && event.target === editing.input) finish(usual, 0, event.shiftKey ? -1 : 1, event);
  else if (event.key === "Escape") finish(null, 0, 0, event);
  else if (event.key === "ArrowDown" || event.key === "ArrowUp") finish(usual, event.key === "ArrowUp" ? -1 : 1, 0, event);
}

/** Saves what can be read, and goes on; what cannot stays where it is. */
function finish(mode, down, right, event) {
  event?.preventDefault();
  event?.stopPropagation();
  const { button, input, memo, row } = editing;
  const { text, amount } = read();
  const before = valueOf(newest());
  if (mode && text && amount === null) return input.focus();
  const isChanged = mode && (text !== (button.dataset.v ?? "") || memo) && (text || button.dataset.v !== undefined);
  const { by } = button.dataset;
  const key = row.dataset.row;
  close(isChanged);
  if (isChanged) {
    show(button, mode === "add" ? before + amount : amount);
    save(button, text, text ? mode : "set", memo);
  }
  const here = cellOf(key, by) ?? button;
  if (!(down || right) || !move(here, down, right)) focus(here);
}

/** Until the answer comes the cell shows what it will have. */
function show(button, value) {
  button.textContent = value === null ? "–" : written(value);
  button.classList.toggle("blank", value === null);
  button.classList.add("saving");
}

/** Ends the editing; what somebody else has changed meanwhile is shown, unless another amount is saved. */
export function close(isSaved = false) {
  if (!editing) return;
  const { button, cell, input, pop } = editing;
  editing = null;
  sessionStorage.removeItem(DRAFT);
  preview(0);
  input.remove();
  pop.remove();
  cell.classList.remove("editing");
  button.hidden = false;
  if (cell.newer && !isSaved) cell.replaceWith(cell.newer);
}

function valueOf(button) {
  return Number(button.dataset.v ?? 0);
}

/** What is edited as it is by now, if somebody else has changed it meanwhile. */
function newest() {
  return editing.cell.newer?.querySelector("button.cell") ?? editing.button;
}

/** Also after somebody else's change, which brings sums of its own. */
function previewTyped() {
  if (!editing) return;
  const { text, usual, amount } = read();
  const isSame = usual === "set" && text === (editing.button.dataset.v ?? "");
  preview(amount === null || isSame ? 0 : usual === "add" ? amount : amount - valueOf(newest()));
}

/** The sums as they would be, until it is saved. */
function preview(delta) {
  for (const each of document.querySelectorAll(".preview-sum")) {
    each.classList.remove("preview-sum");
    each.textContent = each.dataset.was;
  }
  for (const each of document.querySelectorAll(".running em")) each.remove();
  if (!editing || !delta) return;
  const { row, kind } = editing;
  mark(row.querySelector("[data-sum]"), Number(row.querySelector("[data-sum]").dataset.sum) + delta);
  if (row.dataset.row.endsWith("/use")) return;
  runAlong(TOTALS[kind], delta);
  runAlong("net_asset", kind === "income" ? delta : -delta);
}

function runAlong(name, delta) {
  const total = document.querySelector(`.running [data-total="${name}"]`);
  const amount = total.querySelector("b");
  mark(amount, Number(total.dataset.v) + delta);
  const text = name === "net_asset" ? words.if_saved : `${delta > 0 ? "+" : ""}${written(delta)}`;
  amount.after(Object.assign(document.createElement("em"), { textContent: text }));
}

function mark(element, value) {
  element.dataset.was = element.textContent;
  element.textContent = written(value);
  element.classList.add("preview-sum");
}

// ── keys and pointers on cells that rest ──

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function onKey(event) {
  const button = event.target.closest("button.cell");
  if (!button || event.isComposing || event.altKey) return;
  const isCommand = event.ctrlKey || event.metaKey;
  if (event.key in ARROWS && !isCommand) move(button, ...ARROWS[event.key]);
  else if (event.key === "Enter" || event.key === "F2") edit(button);
  else if (event.key === " ") toggleLines(button.closest("tr").dataset.row);
  else if (event.key === "Delete" || event.key === "Backspace") clear(button);
  else if (isCommand && event.code === "KeyD") takeLast(button);
  else if (!isCommand && /^[0-9+=\-]$/.test(event.key)) edit(button, event.key);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function clear(button) {
  if (button.dataset.v === undefined) return;
  show(button, null);
  save(button, "", "set");
}

function takeLast(button) {
  const last = Number(button.closest("tr").querySelector("[data-last]")?.dataset.last ?? 0);
  if (!last) return;
  show(button, last);
  save(button, String(last), "set");
}

function toggleLines(key) {
  const detail = document.querySelector(`tr[data-detail="${CSS.escape(key)}"]`);
  if (detail) showLines(key, detail.hidden);
}

function onClick(event) {
  const button = event.target.closest("button.cell");
  if (button) return edit(button);
  const lines = event.target.closest("[data-lines]");
  if (lines) return toggleLines(lines.closest("tr").dataset.row);
  const drop = event.target.closest("[data-drop-line]");
  if (drop) return dropLine(drop);
  const fold = event.target.closest("[data-fold]");
  if (fold) return foldKind(fold);
  const rest = event.target.closest("[data-rest]");
  if (rest) {
    for (const each of rest.closest("ul").children) each.hidden = false;
    rest.closest("li").remove();
  }
}

/** One payment goes; undo brings it back. */
function dropLine(button) {
  const key = button.closest("tr").dataset.detail;
  const row = document.querySelector(`tr[data-row="${CSS.escape(key)}"]`);
  const { by, seen } = button.dataset;
  const fields = fieldsFor(row.closest("tbody").dataset.kind, JSON.parse(row.dataset.parts), by ?? "", "", { line: button.dataset.dropLine, seen });
  send(`${ledger.dataset.path}/lines/remove`, fields, { row: key, by });
}

function foldKind(button) {
  const isOpen = button.getAttribute("aria-expanded") === "true";
  button.setAttribute("aria-expanded", String(!isOpen));
  button.closest("tbody").classList.toggle("folded", isOpen);
}

/** Who comes back finds what was being typed. */
function restore() {
  const draft = JSON.parse(sessionStorage.getItem(DRAFT) ?? "null");
  const button = draft?.month === ledger.dataset.month && cellOf(draft.row, draft.by);
  if (button && button.offsetParent) edit(button, draft.text);
}

function makeReachable() {
  const first = grid()?.querySelector("button.cell");
  if (first && !grid().querySelector('button.cell[tabindex="0"]')) first.tabIndex = 0;
}

export function startCells() {
  document.addEventListener("keydown", onKey);
  document.addEventListener("click", onClick);
  document.addEventListener("pointerdown", (event) => {
    if (editing && !editing.cell.contains(event.target)) finish(read().amount === null ? null : read().usual, 0, 0);
  });
  document.addEventListener("patched", makeReachable);
  document.addEventListener("patched", previewTyped);
  makeReachable();
  restore();
}
