// Live pages: a message to a topic of the page brings its content up to date, without a reload.
//
// The page says in data-live which topics it listens to. A message says only that something is new; the page
// is then asked for its main part, which comes only if it is another one than before, and what differs is changed
// in place, so that focus, scroll and open forms stay.
//
// A script of the page may hold what is new back: it prevents the event "liverenewal", whose detail is the new page,
// and asks for the newest that was held by the event "liveshow". The event "livestate" tells how the page hears:
// data-hears of the document is connecting, streaming, polling or lost.

import { isChanged } from "./fields.js";

const SOONEST = 2000; // between two looks at the page
const POLL = 5000;
const POLLS = 12; // before the stream is tried again
const live = document.querySelector("[data-live]");

let source = null;
let timer = 0;
let heard = "";

function query() {
  const topics = (live.dataset.live ?? "").split(" ").filter(Boolean);
  return new URLSearchParams(topics.map((topic) => ["topic", topic])).toString();
}

// ── hearing ──

function start() {
  stop();
  if (query() && !document.hidden) stream();
}

function stop() {
  source?.close();
  source = null;
  clearTimeout(timer);
}

function tell(state) {
  if (document.documentElement.dataset.hears === state) return;
  document.documentElement.dataset.hears = state;
  document.dispatchEvent(new Event("livestate"));
}

function stream() {
  const opened = new EventSource(`/live?${query()}`);
  source = opened;
  tell("connecting");
  opened.addEventListener("open", () => tell("streaming"));
  opened.addEventListener("message", (event) => hear(event.lastEventId));
  opened.addEventListener("error", () => {
    // A browser comes back by itself after a break, but not after a refusal.
    if (source !== opened) return;
    if (opened.readyState === EventSource.CLOSED) poll(POLLS);
    else tell("lost");
  });
}

/** Asks for the state again and again, where there is no stream; whoever may not ask is not in the way. */
async function poll(left) {
  stop();
  const asked = query();
  const headers = heard ? { "If-None-Match": `"${heard}"` } : {};
  const answer = await fetch(`/live/state?${asked}`, { headers }).catch(() => null);
  // A page with other topics than before has started anew meanwhile.
  if ([400, 401, 403, 404].includes(answer?.status) || document.hidden || query() !== asked) return;
  tell(answer && answer.status < 400 ? "polling" : "lost");
  if (answer?.status === 200 && (await answer.json()).topics.length) {
    hear(answer.headers.get("etag").replaceAll('"', ""));
  }
  timer = setTimeout(left ? () => poll(left - 1) : start, POLL);
}

function hear(id) {
  if (id === heard) return;
  heard = id;
  renewSoon();
}

// ── renewing ──

let renewing = 0;
let isBusy = false;
let renewedAt = 0;
let newest = ""; // the tag of what came last
let held = null; // what came last, while a script of the page holds it back

function renewSoon(wait = renewedAt + SOONEST - Date.now()) {
  clearTimeout(renewing);
  renewing = setTimeout(renew, Math.max(0, wait));
}

async function renew() {
  if (isBusy) return renewSoon(SOONEST);
  isBusy = true;
  renewedAt = Date.now();
  try {
    const headers = { Accept: "text/html", "X-Part": "main", ...(newest && { "If-None-Match": newest }) };
    const answer = await fetch(location.href, { headers, redirect: "manual" });
    if (answer.ok) {
      take(new DOMParser().parseFromString(await answer.text(), "text/html"));
      newest = answer.headers.get("etag");
    } else if (answer.status === 304) {
      if (!held) document.dispatchEvent(new Event("live")); // What is held back has not been shown yet.
    } else if (answer.status >= 500 || answer.status === 429) renewSoon(POLL);
    else stop();
  } catch {
    renewSoon(POLL);
  } finally {
    isBusy = false;
  }
}

/** Shows a page that has come, unless a script holds it back. */
function take(page) {
  held = page;
  if (document.dispatchEvent(new CustomEvent("liverenewal", { cancelable: true, detail: page }))) showHeld();
}

function showHeld() {
  const page = held;
  held = null;
  if (page) show(page);
}

function show(page) {
  const before = query();
  for (const each of [live, document.querySelector("[data-stale] p")]) {
    const next = each && page.querySelector(each === live ? `#${live.id}` : "[data-stale] p");
    if (next) morph(each, next);
  }
  document.dispatchEvent(new Event("live"));
  if (query() !== before) start();
}

// What belongs to a script of the page from the beginning.
const KEPT = "[data-kept]";

// What a script has drawn into; the page as it is sent has nothing there.
const DRAWN = "figure[data-chart], figure[data-course], svg[data-spark]";

/** What a chart is drawn of: with the same it stays as it is, with another it is drawn anew by whoever drew it. */
function spec(chart) {
  return chart.dataset.spark ?? chart.querySelector("script")?.textContent;
}

/** The legend of a chart is made when the chart is drawn, and stays with it. */
function isSameLegend(node, wanted) {
  return node.dataset.legend !== undefined && node.dataset.legend === wanted.dataset.legend;
}

/** Makes a node like another one, and touches nothing that is so already. */
function morph(node, wanted) {
  if (node.isEqualNode(wanted) || isInUse(node)) return;
  if (node.nodeType !== Node.ELEMENT_NODE) {
    node.nodeValue = wanted.nodeValue;
    return;
  }
  if (node.matches(KEPT) || isSameLegend(node, wanted)) return;
  if (node.matches(DRAWN)) {
    if (spec(node) !== spec(wanted)) node.replaceWith(wanted);
    return;
  }
  for (const { name } of [...node.attributes]) if (!wanted.hasAttribute(name)) node.removeAttribute(name);
  for (const { name, value } of wanted.attributes) {
    if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  }
  morphChildren(node, [...wanted.childNodes]);
}

function morphChildren(node, wanted) {
  let place = node.firstChild;
  for (const each of wanted) {
    const found = like(each, place);
    if (!found) {
      node.insertBefore(each, place);
      continue;
    }
    while (place !== found) place = removed(place);
    place = found.nextSibling;
    morph(found, each);
  }
  while (place) place = removed(place);
}

/** The child from a place on that stands for the wanted one; text is never looked for further on. */
function like(wanted, place) {
  const isLike = (node) => kind(node) === kind(wanted);
  if (wanted.nodeType !== Node.ELEMENT_NODE) return place && isLike(place) ? place : null;
  let node = place;
  while (node && !isLike(node)) node = node.nextSibling;
  return node;
}

function kind(node) {
  return `${node.nodeName} ${node.id ?? ""} ${node.classList?.[0] ?? ""}`;
}

function removed(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

/** Whether a form is being filled in or sent; what somebody has begun is left to them. */
function isInUse(node) {
  return node instanceof HTMLFormElement && (node.dataset.sent || [...node.elements].some(isChanged));
}

if (live) {
  document.addEventListener("visibilitychange", start);
  document.addEventListener("liveshow", showHeld);
  addEventListener("pagehide", stop);
  addEventListener("pageshow", start);
}
