// Small things of every page: theme, dialogs, copying, the line that says what was done.

import "./trail.js";
import { followed } from "./links.js";

// What few visits need comes when it is needed: drafts with a form, the keys with the first key.
if (document.querySelector("main [data-keys-switch]")) import("./shortcuts.js");

/** No link and no form leads away before the script has come that keeps what was typed, unless it cannot come. */
function holdUntil(script) {
  let goOn;

  function hold(event) {
    const link = event.type === "click" && followed(event);
    if (!link && (event.type === "click" || staysHere(event))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    leave();
    goOn ??= () => (link ? link.click() : event.target.requestSubmit(event.submitter));
  }

  function release() {
    for (const type of ["click", "submit"]) document.removeEventListener(type, hold, true);
    stay();
    goOn?.();
  }

  for (const type of ["click", "submit"]) document.addEventListener(type, hold, true);
  Promise.race([script, new Promise((end) => setTimeout(end, LONGEST_WAIT))]).then(release, release);
}

/** Whether what is sent leaves the page where it is. */
function staysHere({ target, submitter }) {
  return target.method === "dialog" || submitter?.matches("[data-theme-switch]");
}

function onKey(event) {
  const isPalette = (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey && event.code === "KeyK";
  if (isPalette) event.preventDefault();
  import("./shortcuts.js").then(({ act }) => act(event, isPalette));
}

function onOpener(event) {
  const opener = event.target.closest("[data-palette], [data-sheet]");
  if (!opener || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  document.querySelector("[popover]:popover-open")?.hidePopover();
  import("./shortcuts.js").then(({ openPalette, openSheet }) =>
    opener.matches("[data-palette]") ? openPalette() : openSheet(),
  );
}

/** Tells the other tabs, which may hold drafts. */
function onSignOut(event) {
  if (event.target.matches("[action='/sign-out']")) localStorage.setItem("signed-out", String(Date.now()));
}

document.addEventListener("submit", onSignOut);
document.addEventListener("keydown", onKey);
document.addEventListener("click", onOpener);

const root = document.documentElement;

function keepCookie(name, value) {
  document.cookie = `${name}=${encodeURIComponent(value)}; path=/; max-age=31536000; samesite=lax`;
}

// The server writes times in the browser's zone from the second page on.
function tellZone() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && !document.cookie.includes(`hansang_zone=${encodeURIComponent(zone)}`)) {
    keepCookie("hansang_zone", zone);
  }
}

function isDark() {
  if (root.dataset.theme !== "system") return root.dataset.theme === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Changes the theme at once, and lets the server remember it. */
function switchTheme(event) {
  if (!event.submitter?.matches("[data-theme-switch]")) return;
  event.preventDefault();
  const theme = isDark() ? "light" : "dark";
  root.dataset.theme = theme;
  const body = new URLSearchParams(new FormData(event.target));
  body.set("theme", theme);
  fetch("/preferences", { method: "POST", body, redirect: "manual" }).catch(() => {});
}

/** Says something for a few seconds, to the eye and to screen readers. */
export function say(text) {
  sayNodes(text);
}

/** The same with more than words, such as the form that undoes it. */
export function sayNodes(...nodes) {
  const toast = document.querySelector("[data-toast]");
  toast.replaceChildren(...nodes);
  showToast(toast);
}

let hiding;

function showToast(toast) {
  clearTimeout(hiding);
  toast.classList.add("on");
  const stay = toast.querySelector("a, button") ? 12_000 : 4000;
  hiding = setTimeout(() => hideToast(toast), stay);
}

/** Hides the line, but not under the pointer or the focus of somebody who is about to use it. */
function hideToast(toast) {
  if (toast.matches(":hover, :focus-within")) showToast(toast);
  else toast.classList.remove("on");
}

async function copy(button) {
  const text = button.parentElement.querySelector("[data-copy-text]").textContent;
  try {
    await navigator.clipboard.writeText(text);
    say(button.dataset.done);
  } catch {
    // Without HTTPS there is no clipboard: mark the text, so that the keys can copy it.
    getSelection().selectAllChildren(button.parentElement.querySelector("[data-copy-text]"));
  }
}

// ── loading and stale ──

const LONGEST_WAIT = 10_000;
const STALE_AFTER = 5 * 60_000;
let shownAt = Date.now();

/** A line at the top says that the next page is on its way. */
function leave() {
  root.dataset.leaving = "yes";
  setTimeout(stay, LONGEST_WAIT); // an answer that is a file leads nowhere
}

function stay() {
  delete root.dataset.leaving;
}

function onFollow(event) {
  if (followed(event)) leave();
}

/** Whoever comes back to a page after a while is told how old it is. */
function tellStale() {
  const note = document.querySelector("[data-stale]");
  if (!note || document.visibilityState !== "visible") return;
  note.hidden = Date.now() - shownAt < STALE_AFTER;
}

/** A live page that was brought up to date is new again. */
function onLive() {
  shownAt = Date.now();
  tellStale();
}

function onClick(event) {
  const target = event.target.closest("[data-open], [data-close], [data-copy]");
  if (!target) return;
  if (target.matches("[data-open]")) document.getElementById(target.dataset.open).showModal();
  if (target.matches("[data-close]")) target.closest("dialog").close();
  if (target.matches("[data-copy]")) copy(target);
}

/** A click beside a dialog closes it. */
function onBackdrop(event) {
  if (event.target instanceof HTMLDialogElement) event.target.close();
}

/** Whoever presses twice sends once. */
function onSubmit(event) {
  if (event.defaultPrevented) return;
  leave();
  if (event.target.method !== "post") return;
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
}

// A page that comes back from the cache can be sent again, and may be old.
function onPageShow() {
  stay();
  tellStale();
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
}

/** Where tabs or columns do not fit, the one that is open or present stands in the middle. */
function showPresent(present) {
  const frame = present.closest(".seg, .table-wrap");
  const [own, all] = [present, frame].map((each) => each.getBoundingClientRect());
  frame.scrollLeft += own.left + own.width / 2 - all.left - all.width / 2;
}

/** Selects marked so send their form as soon as something is chosen. */
function onChange(event) {
  if (event.target.closest("[data-submit]")) event.target.form.requestSubmit();
}

const hasDrafts = Object.keys(sessionStorage).some((key) => key.startsWith("draft:"));
if (hasDrafts || document.querySelector("main form[method=post]")) holdUntil(import("./drafts.js"));
tellZone();
document.querySelectorAll(".subbar > .seg > [aria-current=page], .table-wrap th[data-now]").forEach(showPresent);
document.addEventListener("click", onClick);
document.addEventListener("click", onFollow);
document.addEventListener("visibilitychange", tellStale);
document.addEventListener("live", onLive);
document.addEventListener("mousedown", onBackdrop);
document.addEventListener("submit", switchTheme);
document.addEventListener("submit", onSubmit);
document.addEventListener("change", onChange);
addEventListener("pageshow", onPageShow);
for (const dialog of document.querySelectorAll("dialog[data-shown]")) dialog.showModal();
const toast = document.querySelector("[data-toast]");
if (toast.childElementCount) showToast(toast);
