// The reference without this script is whole; this makes it quicker to find, to copy and to try things.

const operations = [...document.querySelectorAll(".operation")];
const toast = document.querySelector("[data-toast]");
const search = document.querySelector("[data-filter]");

// ── finding ───────────────────────────────────────────────────────────────────────────────────────

function narrow(words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  for (const each of operations) {
    each.hidden = !wanted.every((word) => each.dataset.text.includes(word));
  }
  const nothing = document.querySelector("[data-nothing]");
  if (nothing) nothing.hidden = operations.some((each) => !each.hidden);
}

function open(id) {
  const found = id && document.getElementById(decodeURIComponent(id));
  if (found instanceof HTMLDetailsElement) {
    found.open = true;
    found.scrollIntoView({ block: "start" });
  }
}

search?.addEventListener("input", () => narrow(search.value));
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest?.("input, textarea, select");
  if (event.key !== "/" || isTyping || event.metaKey || event.ctrlKey || event.altKey) return;
  event.preventDefault();
  search?.focus();
});

// ── copying ───────────────────────────────────────────────────────────────────────────────────────

function say(text) {
  toast.textContent = text;
  toast.classList.add("on");
  setTimeout(() => toast.classList.remove("on"), 1600);
}

async function copy(button) {
  await navigator.clipboard.writeText(button.previousElementSibling.textContent);
  say(toast.dataset.copied);
}

for (const button of document.querySelectorAll("[data-copy]")) {
  // A browser offers the clipboard to secure pages only.
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", () => copy(button));
}

// ── trying ────────────────────────────────────────────────────────────────────────────────────────

const READING = ["GET", "HEAD"];
const LONGEST_WAIT = 10_000;
let me; // Who is signed in here, asked for once.
let key = ""; // In this page alone, and gone with it.

function signedIn() {
  me ??= whoIsSignedIn();
  return me;
}

/** Nobody, if that cannot be found out: then a request goes with a key or without. */
async function whoIsSignedIn() {
  try {
    const answer = await fetch("/api/platform/me", { signal: AbortSignal.timeout(LONGEST_WAIT) });
    return answer.ok ? await answer.json() : null;
  } catch {
    me = undefined; // Whoever tries the next request may have more luck.
    return null;
  }
}

function startTrying(operation, button) {
  const form = document.querySelector("[data-try-form]").content.firstElementChild.cloneNode(true);
  form.querySelector("[data-fields]").append(...fieldsOf(operation));
  form.elements.key.value = key;
  form.addEventListener("change", () => showKey(form));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(operation, form);
  });
  offerSession(form);
  button.replaceWith(form);
  form.querySelector("input:not([type=radio]), textarea").focus();
}

/** The session is taken as soon as it is known, unless there is a key by then. */
async function offerSession(form) {
  const person = await signedIn();
  if (!person?.csrf) return;
  form.querySelector("[data-session]").hidden = false;
  form.querySelector("[data-shown]").textContent = person.shown;
  if (!form.elements.key.value) form.elements.as.value = "session";
  showKey(form);
}

function showKey(form) {
  form.querySelector("[data-key-field]").hidden = form.elements.as.value === "session";
}

function fieldsOf(operation) {
  const rows = [...operation.querySelectorAll("tr[data-name]")].filter((row) => row.dataset.name !== "lang");
  const fields = rows.map((row) => {
    const input = inputOf(row.dataset);
    Object.assign(input.dataset, { place: row.dataset.in, name: row.dataset.name });
    input.required = "needed" in row.dataset && row.dataset.in !== "header";
    return labelled(row.dataset.name, input);
  });
  const body = operation.querySelector("[data-body]");
  if (body) {
    const text = Object.assign(document.createElement("textarea"), { value: body.textContent, rows: 8, spellcheck: false });
    text.dataset.place = "body";
    fields.push(labelled("body", text));
  }
  return fields;
}

function inputOf({ choices, needed, example = "" }) {
  const input = Object.assign(document.createElement(choices ? "select" : "input"), { autocomplete: "off" });
  const values = choices?.split(" ") ?? [];
  if (needed === undefined) values.unshift("");
  if (choices) input.append(...values.map((each) => new Option(each)));
  input.value = example;
  return input;
}

function labelled(name, input) {
  const label = document.createElement("label");
  label.className = "field";
  label.append(Object.assign(document.createElement("span"), { textContent: name }), input);
  return label;
}

async function send(operation, form) {
  const { method } = operation.dataset;
  const ask = document.querySelector("[data-ask]");
  const request = requestOf(operation, form, method);
  const given = keyOf(form);
  try {
    if (request.body !== undefined) JSON.parse(request.body);
  } catch {
    say(ask.dataset.badJson);
    return;
  }
  if (!READING.includes(method) && !(await isSure(ask, `${method} ${request.address}`))) return;
  await authorize(request, method, given);
  try {
    show(form, await fetch(request.address, { method, ...request }), ask.dataset.bytes);
  } catch {
    say(ask.dataset.failed);
  }
}

function requestOf(operation, form, method) {
  const given = [...form.querySelectorAll("[data-place]")].filter((each) => each.value !== "");
  const of = (place) => given.filter((each) => each.dataset.place === place);
  let path = operation.dataset.path;
  for (const each of of("path")) path = path.replace(`{${each.dataset.name}}`, encodeURIComponent(each.value));
  const query = new URLSearchParams(of("query").map((each) => [each.dataset.name, each.value]));
  const headers = Object.fromEntries(of("header").map((each) => [each.dataset.name, each.value]));
  const [body] = of("body");
  if (body) headers["Content-Type"] = "application/json";
  return { address: `${path}${query.size ? "?" : ""}${query}`, headers, body: READING.includes(method) ? undefined : body?.value };
}

/** The key to send, which may be empty; undefined for the session, which is also meant before it is offered. */
function keyOf(form) {
  const given = form.elements.key.value.trim();
  const isOffered = !form.querySelector("[data-session]").hidden;
  return form.elements.as.value === "key" && (given || isOffered) ? given : undefined;
}

/** A key is sent without the session, and a session without a key. */
async function authorize(request, method, given) {
  const person = given === undefined ? await signedIn() : null;
  if (person?.csrf) {
    if (!READING.includes(method)) request.headers["X-CSRF-Token"] = person.csrf;
    request.credentials = "same-origin";
    return;
  }
  key = given ?? "";
  if (key) request.headers.Authorization = `Bearer ${key}`;
  request.credentials = "omit";
}

function isSure(ask, what) {
  ask.querySelector("[data-what]").textContent = what;
  ask.returnValue = "no";
  ask.showModal();
  return new Promise((decide) => ask.addEventListener("close", () => decide(ask.returnValue === "yes"), { once: true }));
}

async function show(form, answer, bytes) {
  const text = await answer.text();
  const tag = answer.headers.get("ETag");
  const status = form.querySelector("[data-status]");
  status.textContent = answer.status;
  status.classList.toggle("bad", !answer.ok);
  form.querySelector("[data-told]").textContent = [`${new Blob([text]).size} ${bytes}`, tag && `ETag ${tag}`].filter(Boolean).join(" · ");
  form.querySelector("[data-said]").textContent = pretty(text);
  form.querySelector("[data-answer]").hidden = false;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

for (const each of operations) {
  each.addEventListener("toggle", () => each.open && history.replaceState(null, "", `#${each.id}`));
  const button = each.querySelector("[data-try]");
  button.hidden = false;
  button.addEventListener("click", () => startTrying(each, button));
}
window.addEventListener("hashchange", () => open(location.hash.slice(1)));
open(location.hash.slice(1));
