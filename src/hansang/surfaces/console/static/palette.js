// The palette: everything by name, with the keyboard alone. The server finds, this shows.

const WAIT = 120;

let dialog, input, list, preview, hint, close;
let asked = null;
let timer = 0;
let options = [];
const known = new WeakMap(); // what the server said of each option
let current = -1;
let answered = null; // the words that the list is of
let isWanted = false; // Enter came before the answer

export async function open() {
  if (!dialog) await make();
  if (dialog.open) return;
  input.value = "";
  answered = null;
  dialog.showModal();
  input.focus();
  ask();
}

// ── what it is made of ──

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

async function make() {
  await styled();
  input = element("input", {
    type: "text",
    role: "combobox",
    "aria-expanded": "true",
    "aria-controls": "palette-list",
    "aria-autocomplete": "list",
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
    maxlength: "100",
    enterkeyhint: "go",
  });
  list = element("div", { id: "palette-list", role: "listbox" });
  preview = element("div", { class: "palette-preview", hidden: "" });
  hint = element("p", { class: "palette-hint" });
  close = element("button", { type: "button", class: "btn sm", "data-close": "" });
  const glass = document.querySelector("[data-palette] svg").cloneNode(true);
  const top = element("div", { class: "palette-top" }, glass, input, close);
  dialog = element("dialog", { class: "palette" }, top, list, preview, hint);
  document.body.append(dialog);
  input.addEventListener("input", () => {
    clearTimeout(timer);
    isWanted = false;
    timer = setTimeout(ask, WAIT);
  });
  dialog.addEventListener("keydown", onKey);
  list.addEventListener("pointermove", (event) => choose(options.indexOf(event.target.closest("[role=option]")), false));
}

/** The styles of the palette come with it. */
function styled() {
  return new Promise((done) => {
    const href = new URL("palette.css", import.meta.url).href;
    const link = element("link", { rel: "stylesheet", href });
    link.addEventListener("load", done);
    link.addEventListener("error", done);
    document.head.append(link);
  });
}

// ── asking ──

async function ask() {
  clearTimeout(timer);
  asked?.abort();
  asked = new AbortController();
  const words = input.value;
  const url = `/search/results?${new URLSearchParams({ q: words })}`;
  try {
    const answer = await fetch(url, { signal: asked.signal, headers: { Accept: "application/json" } });
    if (answer.redirected) location.reload(); // the session is over
    else if (answer.ok) {
      show(await answer.json());
      answered = words;
      if (isWanted) goTo(options[current]);
    } else fail();
  } catch (reason) {
    if (reason.name !== "AbortError") fail();
  }
}

function fail() {
  list.replaceChildren(element("p", { class: "palette-empty" }, dialog.dataset.failed ?? "…"));
  preview.hidden = true;
  choose(-1);
  options = [];
  isWanted = false;
}

// ── showing ──

function show({ groups, words }) {
  dialog.dataset.failed = words.failed;
  dialog.setAttribute("aria-label", words.title);
  input.setAttribute("aria-label", words.title);
  input.placeholder = words.placeholder;
  list.setAttribute("aria-label", words.title);
  hint.textContent = words.hint;
  close.textContent = words.close;
  list.replaceChildren(...groups.map(group));
  if (!groups.length) list.append(element("p", { class: "palette-empty", role: "status" }, words.empty));
  options = [...list.querySelectorAll("[role=option]")];
  preview.hidden = !options.some((each) => known.get(each).facts.length);
  choose(options.length ? 0 : -1);
}

function group({ label, items }, place) {
  const head = element("p", { id: `palette-group-${place}`, class: "palette-label", role: "presentation" }, label);
  const made = element("div", { role: "group", "aria-labelledby": head.id }, head);
  made.append(...items.map((item, at) => option(item, `palette-${place}-${at}`)));
  return made;
}

function option(item, id) {
  const { href, text, about, icon } = item;
  const made = element("a", { id, href, role: "option", tabindex: "-1", "aria-selected": "false" });
  made.innerHTML = icon; // drawn by our own server, of an installed package
  made.append(element("b", {}, text));
  if (about) made.append(element("small", {}, about));
  known.set(made, item);
  return made;
}

/** What is known of the chosen one, beside the list: enough to decide without opening it. */
function showFacts({ text, about, facts, line, lineAbout, ways }) {
  const rows = facts.map(([label, value]) => element("div", {}, element("dt", {}, label), element("dd", {}, value)));
  const below = rows.length ? element("dl", {}, ...rows) : element("p", {}, about);
  preview.replaceChildren(element("strong", {}, text), below);
  if (line.length > 1) preview.append(drawn(line, lineAbout));
  preview.append(...ways.map(([label, href]) => element("a", { class: "btn sm", href }, label)));
}

/** A line with what it is of below it. */
function drawn(line, about) {
  const figure = element("figure", {});
  const image = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  image.setAttribute("aria-hidden", "true");
  import("./charts/sparkline.js").then(({ drawSparkline }) => drawSparkline(image, line));
  figure.append(image, element("figcaption", {}, about));
  return figure;
}

function choose(place, isSeen = true) {
  if (place < 0 && options.length && !isSeen) return;
  options[current]?.setAttribute("aria-selected", "false");
  current = place;
  const chosen = options[current];
  chosen?.setAttribute("aria-selected", "true");
  if (chosen) input.setAttribute("aria-activedescendant", chosen.id);
  else input.removeAttribute("aria-activedescendant");
  if (chosen) showFacts(known.get(chosen));
  if (isSeen) chosen?.scrollIntoView({ block: "nearest" });
}

// ── going ──

function onKey(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    event.preventDefault();
    if (options.length) choose((current + step + options.length) % options.length);
  } else if (event.key === "Enter" && !event.isComposing && !preview.contains(event.target)) {
    event.preventDefault();
    if (input.value === answered) goTo(options[current], event.metaKey || event.ctrlKey);
    else {
      isWanted = true;
      ask();
    }
  }
}

function goTo(option, isApart = false) {
  isWanted = false;
  if (!option) return;
  if (isApart) return window.open(option.href);
  dialog.close();
  option.click();
}
