// Lists: which columns, in which order, dense or not, and what is done with chosen rows.
//
// The choice of columns is remembered for each list in the browser and stands in the address, which wins.

import { say } from "./frame.js";

const MEMORY = "hansang.tables";
const root = document.documentElement;

function remembered() {
  try {
    return JSON.parse(localStorage.getItem(MEMORY)) ?? {};
  } catch {
    return {};
  }
}

/** Keeps a value under a name; without storage it lasts as long as the page. */
function remember(name, value) {
  try {
    localStorage.setItem(MEMORY, JSON.stringify({ ...remembered(), [name]: value }));
  } catch {
    // A browser that keeps nothing still shows everything.
  }
}

// ── columns ──

const lists = new Map();

/** A list on the page: its element, its head cells by column, its rows as they came. */
function listOf(element) {
  const heads = [...element.querySelectorAll("thead th[data-column]")];
  return {
    id: element.dataset.listing,
    element,
    heads: new Map(heads.map((head) => [head.dataset.column, head])),
    body: element.querySelector("tbody"),
    rows: [...element.querySelectorAll("tbody tr")],
    tools: document.querySelector(`[data-listing-tools="${CSS.escape(element.dataset.listing)}"]`),
    hidden: new Set(),
    order: "",
  };
}

function cellOf(list, row, column) {
  return row.cells[list.heads.get(column).cellIndex];
}

function showColumns(list) {
  for (const [column, head] of list.heads) {
    const isHidden = list.hidden.has(column);
    head.hidden = isHidden;
    for (const row of list.rows) cellOf(list, row, column).hidden = isHidden;
    const box = list.tools?.querySelector(`[data-show-column][value="${CSS.escape(column)}"]`);
    if (box) box.checked = !isHidden;
  }
}

function textOf(cell) {
  return cell.dataset.sort ?? cell.querySelector(".value, .long")?.textContent.trim() ?? cell.textContent.trim();
}

const collator = new Intl.Collator(root.lang, { numeric: true });

function compare(one, other) {
  if (!one || !other) return (one ? 0 : 1) - (other ? 0 : 1);
  const [left, right] = [one, other].map((text) => Number(text.replaceAll(",", "")));
  return Number.isNaN(left) || Number.isNaN(right) ? collator.compare(one, other) : left - right;
}

/** Puts the rows of the page in order: "name" up, "-name" down, "" as they came. */
function sortRows(list) {
  const column = list.order.replace(/^-/, "");
  const turn = list.order.startsWith("-") ? -1 : 1;
  const rows = [...list.rows];
  if (list.heads.has(column)) {
    const texts = new Map(rows.map((row) => [row, textOf(cellOf(list, row, column))]));
    rows.sort((one, other) => {
      const [left, right] = [texts.get(one), texts.get(other)];
      return compare(left, right) * (left && right ? turn : 1);
    });
  }
  list.body.append(...rows);
  for (const [name, head] of list.heads) {
    if (name === column) head.ariaSort = turn > 0 ? "ascending" : "descending";
    else head.removeAttribute("aria-sort");
  }
}

function keepChoice(list) {
  const choice = { hide: [...list.hidden].join(","), by: list.order };
  remember(list.id, choice);
  tellAddress(list, choice);
}

/** The choice in the address of this page, and of those that its pager leads to. */
function tellAddress(list, choice) {
  const links = document.querySelectorAll(".pager-links a");
  for (const place of [location, ...links]) {
    const address = new URL(place.href);
    for (const [name, value] of Object.entries(choice)) {
      if (value) address.searchParams.set(`${name}.${list.id}`, value);
      else address.searchParams.delete(`${name}.${list.id}`);
    }
    if (place === location) history.replaceState(history.state, "", address);
    else place.href = address;
  }
}

function chosen(list) {
  const given = new URLSearchParams(location.search);
  const [hide, by] = ["hide", "by"].map((name) => given.get(`${name}.${list.id}`));
  if (hide !== null || by !== null) return { hide: hide ?? "", by: by ?? "" };
  return { hide: "", by: "", ...remembered()[list.id] };
}

function restore(list) {
  const choice = chosen(list);
  const [key] = list.heads.keys();
  list.hidden = new Set(choice.hide.split(",").filter((each) => list.heads.has(each) && each !== key));
  list.order = choice.by;
  showColumns(list);
  if (list.order) sortRows(list);
  if (list.hidden.size || list.order) tellAddress(list, choice);
}

/** Every head becomes a button: up, down, as it was. */
function offerSorting({ id, element, heads }) {
  for (const [column, head] of heads) {
    if (head.querySelector(".sorts")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sorts";
    button.title = element.dataset.moved;
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const list = lists.get(id);
      list.order = { [column]: `-${column}`, [`-${column}`]: "" }[list.order] ?? column;
      sortRows(list);
      keepChoice(list);
      if (list.order) say(element.dataset.moved);
    });
  }
}

function onColumn(list, box) {
  if (box.checked) list.hidden.delete(box.value);
  else list.hidden.add(box.value);
  showColumns(list);
  keepChoice(list);
}

// ── dense rows and folds ──

function showDense(isDense) {
  root.toggleAttribute("data-dense-rows", isDense);
  for (const box of document.querySelectorAll("[data-dense]")) box.checked = isDense;
}

/** Parts that fold, and switches, stay as they were left. */
function keepFolds() {
  for (const fold of document.querySelectorAll("details[data-remember]")) {
    const known = remembered()[fold.dataset.remember];
    if (typeof known === "boolean") fold.open = known;
    fold.addEventListener("toggle", () => remember(fold.dataset.remember, fold.open));
  }
}

// ── choosing rows ──

const boxes = () => [...document.querySelectorAll("[data-pick]")];

function tellPicked() {
  const bar = document.querySelector("[data-picked]");
  if (!bar) return;
  const count = boxes().filter((box) => box.checked).length;
  bar.hidden = !count;
  bar.querySelector("[data-picked-count]").textContent = count;
  for (const all of document.querySelectorAll("[data-pick-all]")) {
    const own = [...all.closest("table").querySelectorAll("[data-pick]")];
    const picked = own.filter((box) => box.checked).length;
    all.checked = picked > 0 && picked === own.length;
    all.indeterminate = picked > 0 && picked < own.length;
  }
}

let last = null;

/** With Shift, everything between this row and the last one. */
function onPick(event) {
  const box = event.target.closest("[data-pick]");
  if (!box) return;
  const own = [...box.closest("table").querySelectorAll("[data-pick]")];
  if (event.shiftKey && own.includes(last)) {
    const [from, to] = [own.indexOf(last), own.indexOf(box)].sort((one, other) => one - other);
    for (const each of own.slice(from, to + 1)) each.checked = box.checked;
  }
  last = box;
  tellPicked();
}

function pickAll(scope, isPicked) {
  for (const box of scope.querySelectorAll("[data-pick]")) box.checked = isPicked;
  tellPicked();
}

// ── copying ──

/** The chosen rows of a list, or all of them, with the columns that are shown. */
function shownRecords(list) {
  const picked = list.rows.filter((row) => row.querySelector("[data-pick]:checked"));
  const columns = [...list.heads.keys()].filter((column) => !list.hidden.has(column));
  const rows = picked.length ? picked : [...list.body.rows];
  return { columns, records: rows.map((row) => columns.map((column) => textOf(cellOf(list, row, column)))) };
}

function asCsv(columns, records) {
  const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [columns, ...records].map((line) => line.map(quoted).join(",")).join("\r\n");
}

function shownText(list, format) {
  const { columns, records } = shownRecords(list);
  if (format === "csv") return asCsv(columns, records);
  const objects = records.map((line) => Object.fromEntries(columns.map((name, at) => [name, line[at]])));
  return JSON.stringify(objects, null, 2);
}

/** The rows as the server has them, whole: a page shows only the beginning of what is long. */
async function storedText(list, format) {
  const own = [...list.element.querySelectorAll("[data-pick]")];
  const picked = own.filter((box) => box.checked);
  const body = new URLSearchParams((picked.length ? picked : own).map((box) => ["key", box.value]));
  body.set("csrf", own[0].form.elements.csrf.value);
  const answer = await fetch(`${list.tools.dataset.source}?format=${format}`, { method: "POST", body });
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.text();
}

async function copyRows(list, button) {
  const { copyAs: format, done } = button.dataset;
  const hasSource = list.tools.dataset.source && list.element.querySelector("[data-pick]");
  const text = hasSource ? await storedText(list, format) : shownText(list, format);
  await putOnClipboard(text.replace(/^\ufeff/, ""));
  say(done);
}

/** Without HTTPS there is no clipboard; then the old way does it. */
async function putOnClipboard(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** A form whose answer is a file stays on the page, and can be sent again. */
function onFile(event) {
  if (!event.submitter?.matches("[data-file]")) return;
  setTimeout(() => {
    delete event.target.dataset.sent;
    delete root.dataset.leaving;
  }, 500);
}

// ── keys ──

/** From the link of one row to that of the next. */
function onKey(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const link = event.target.closest?.(".listing .rows-link");
  if (!step || !link) return;
  const links = [...link.closest("tbody").querySelectorAll(".rows-link")];
  const next = links[links.indexOf(link) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** A click elsewhere closes an open menu. */
function onElsewhere(event) {
  for (const menu of document.querySelectorAll("details.pops[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
}

function onEscape(event) {
  const menu = event.key === "Escape" && event.target.closest?.("details.pops[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
}

function offerTools({ id, tools }) {
  tools.hidden = false;
  tools.addEventListener("change", (event) => {
    if (event.target.matches("[data-show-column]")) onColumn(lists.get(id), event.target);
    if (event.target.matches("[data-dense]")) {
      showDense(event.target.checked);
      remember("dense", event.target.checked);
    }
  });
  tools.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy-as]");
    if (!button) return;
    button.closest("details").open = false;
    copyRows(lists.get(id), button).catch((fault) => say(String(fault.message)));
  });
}

/** Prepares every list of the page; a live page that was brought up to date has new rows. */
function prepare() {
  for (const element of document.querySelectorAll("[data-listing]")) {
    const list = listOf(element);
    lists.set(list.id, list);
    offerSorting(list);
    restore(list);
    for (const box of element.querySelectorAll("[data-pick], [data-pick-all]")) box.hidden = false;
    if (list.tools?.hidden) offerTools(list);
  }
}

prepare();
document.addEventListener("live", prepare);
document.addEventListener("click", onPick);
document.addEventListener("click", (event) => {
  if (event.target.matches("[data-pick-all]")) pickAll(event.target.closest("table"), event.target.checked);
  if (event.target.closest("[data-pick-none]")) pickAll(document, false);
});
document.addEventListener("click", onElsewhere);
document.addEventListener("submit", onFile);
document.addEventListener("keydown", onKey);
document.addEventListener("keydown", onEscape);
addEventListener("pageshow", tellPicked);
showDense(Boolean(remembered().dense));
keepFolds();
