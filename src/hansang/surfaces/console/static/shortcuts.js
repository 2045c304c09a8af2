// Keyboard shortcuts. Letters are found by their place on the keyboard when it writes Korean.

const SETTING = "hansang keys";
const NEXT_KEY = 1500;
const ROWS = "main tbody tr, main .list > li";

let isGoing = false;
let timer = 0;

/** The palette comes when it is first asked for, and no page has to carry it. */
export async function openPalette() {
  const { open } = await import("./palette.js");
  open();
}

export async function openSheet() {
  const { open } = await import("./sheet.js");
  open(SETTING);
}

function letter(event) {
  if (/^[ -~]$/.test(event.key)) return event.key.toLowerCase();
  return /^(?:Key|Digit)(.)$/.exec(event.code)?.[1].toLowerCase() ?? event.key;
}

function isTyping(target) {
  return target.isContentEditable || target.matches("input:not([type=checkbox], [type=radio]), textarea, select");
}

/** Does what a key stands for, if it is one of ours; its target is told, since it may be gone by now. */
export function act(event, isPalette) {
  if (isPalette) return openPalette();
  const isOurs = !event.metaKey && !event.ctrlKey && !event.altKey;
  const isOff = localStorage.getItem(SETTING) === "off" || document.querySelector("dialog[open]");
  if (isOurs && !isOff && !isTyping(event.target)) press(event, letter(event));
}

function press(event, key) {
  const act = isGoing ? () => document.querySelector(`[data-go="${CSS.escape(key)}"]`)?.click() : (ACTS[key] ?? ofPage(key));
  isGoing = false;
  clearTimeout(timer);
  if (!act) return;
  event.preventDefault();
  act();
}

const ACTS = {
  g: () => {
    isGoing = true;
    timer = setTimeout(() => (isGoing = false), NEXT_KEY);
  },
  "/": find,
  "?": openSheet,
  j: () => move(1),
  k: () => move(-1),
  u: () => [...document.querySelectorAll(".crumbs a")].at(-1)?.click(),
  z: () => document.querySelector("[data-undo]")?.requestSubmit(),
};

/** What an element of the page says that a key does: data-key="e". */
function ofPage(key) {
  const element = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  return element && (() => element.click());
}

function find() {
  const field = document.querySelector("main input[type=search], main input[name=q]");
  if (!field?.checkVisibility()) return openPalette();
  field.focus();
  field.select();
}

/** Moves the focus to the link of the next row, or of the one before. */
function move(step) {
  const rows = [...document.querySelectorAll(ROWS)].filter((row) => row.checkVisibility() && way(row));
  const here = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[here < 0 ? (step > 0 ? 0 : rows.length - 1) : here + step];
  if (!next) return;
  way(next).focus();
  next.scrollIntoView({ block: "nearest" });
}

function way(row) {
  return row.querySelector("a.rows-link") ?? row.querySelector("a[href]");
}

if (document.querySelector("main [data-keys-switch]")) {
  import("./sheet.js").then(({ wire }) => wire(document, SETTING));
}
