// Drafts: what was typed into a form stays in this tab until the server has taken it.
//
// A draft is kept for one person and one address, without passwords and files. It comes back when the form is
// opened again: after signing in anew, after a switch of language, after a page that could not be loaded. The
// version that the form was made from comes back with it, so that newer values are not overwritten unseen.

import { fieldsOf, isChanged, isTick } from "./fields.js";
import { followed } from "./links.js";

const PREFIX = "draft:";
const WAIT = 300;
const VERSIONS = ["etag", "seen"];
const SIGNED_OUT = "signed-out"; // written by frame.js
const person = document.body.dataset.person ?? "";
const isFailed = document.body.hasAttribute("data-failed");
const cameBack = performance.getEntriesByType("navigation")[0]?.type !== "navigate";

const forms = [...document.querySelectorAll("main form[method=post]")].filter(
  (form) => person && fieldsOf(form).length && !form.matches("[data-no-draft]"),
);

let isLeaving = false;
const waiting = new Map();

// ── keeping ──

function keyOf(form) {
  const address = new URL(form.action, location.href);
  address.searchParams.delete("lang");
  return `${PREFIX}${person} ${address.pathname}${address.search}`;
}

function read(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key));
  } catch {
    return null;
  }
}

function write(key, draft) {
  try {
    sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    sessionStorage.removeItem(key); // there is not enough room for it
  }
}

function keep(form, isSent = false) {
  clearTimeout(waiting.get(form));
  waiting.delete(form);
  const values = fieldsOf(form).map((field) => [field.name, isTick(field) ? field.checked : field.value]);
  const versions = VERSIONS.flatMap((name) => (form.elements[name] ? [[name, form.elements[name].value]] : []));
  write(keyOf(form), { values, versions, isSent });
}

function onInput(event) {
  const form = event.target.form;
  if (!forms.includes(form)) return;
  clearTimeout(waiting.get(form));
  waiting.set(form, setTimeout(() => keep(form), WAIT));
}

function keepWaiting() {
  for (const form of [...waiting.keys()]) keep(form);
}

/** What was sent before this script had come is no draft; what was typed is one, and goes before an older draft. */
function begin(form) {
  if (form.dataset.sent) return send(form);
  restore(form);
  if (fieldsOf(form).some(isTyped)) keep(form);
}

/** Whether somebody has typed here since the page came. Where one came back to, the browser fills fields in itself. */
function isTyped(field) {
  return !cameBack && isChanged(field);
}

function send(form) {
  keep(form, true);
  isLeaving = true;
}

// ── what became of what was sent ──

/** A draft that was sent is over, unless this page says that it was not taken. */
function settle() {
  for (const key of Object.keys(sessionStorage).filter((each) => each.startsWith(PREFIX))) {
    const draft = read(key);
    if (!draft?.isSent) continue;
    const isAgain = cameBack && forms.some((form) => keyOf(form) === key);
    if (!person || isFailed || isAgain) write(key, { ...draft, isSent: false });
    else sessionStorage.removeItem(key);
  }
}

// ── coming back ──

function restore(form) {
  const draft = read(keyOf(form));
  if (!draft) return;
  form.dataset.draft = "kept";
  if (isFailed) return; // the page has come with what was sent
  form.dispatchEvent(new CustomEvent("draft", { bubbles: true, detail: draft.values }));
  if (!fill(form, draft)) return forget(form);
  form.prepend(document.querySelector("[data-draft-bar]").content.cloneNode(true));
  form.querySelector("[data-discard]").addEventListener("click", () => discard(form));
  form.closest("dialog:not([open])")?.showModal();
}

/** Fills a form with a draft; whether anything is different then. */
function fill(form, draft) {
  const values = [...draft.values];
  const typed = fieldsOf(form).filter(isTyped);
  for (const field of fieldsOf(form)) {
    const place = values.findIndex(([name]) => name === field.name);
    if (place < 0) continue;
    const [[, value]] = values.splice(place, 1);
    if (typed.some((each) => each === field || (each.type === "radio" && each.name === field.name))) continue;
    if (isTick(field)) field.checked = value;
    else field.value = value;
  }
  if (!fieldsOf(form).some(isChanged)) return false;
  for (const [name, value] of draft.versions) if (form.elements[name]) form.elements[name].value = value;
  return true;
}

function forget(form) {
  sessionStorage.removeItem(keyOf(form));
  delete form.dataset.draft;
}

function discard(form) {
  forget(form);
  isLeaving = true;
  location.reload();
}

// ── leaving ──

function isDirty(form) {
  return !form.dataset.sent && (Boolean(form.dataset.draft) || [...form.elements].some(isChanged));
}

function onFollow(event) {
  const link = followed(event);
  if (!link) return;
  keepWaiting();
  if (link.hreflang) isLeaving = true; // the same page in another language, with the draft
  else if (forms.some(isDirty)) ask(event, link);
}

function ask(event, link) {
  event.preventDefault();
  const dialog = document.querySelector("[data-leave-dialog]");
  dialog.querySelector("[data-leave]").onclick = () => {
    forms.filter(isDirty).forEach(forget);
    isLeaving = true;
    location.href = link.href;
  };
  dialog.showModal();
}

function onUnload(event) {
  keepWaiting();
  if (!isLeaving && forms.some(isDirty)) event.preventDefault();
}

function onSubmit(event) {
  if (event.defaultPrevented) return;
  if (event.target.matches("[action='/sign-out']")) forgetAll();
  if (forms.includes(event.target)) send(event.target);
}

/** Whether somebody has signed out in another tab since this one was loaded: then nothing stays here either. */
function heedSignOut() {
  const latest = localStorage.getItem(SIGNED_OUT) ?? "";
  const isNews = (sessionStorage.getItem(SIGNED_OUT) ?? latest) !== latest;
  sessionStorage.setItem(SIGNED_OUT, latest);
  if (isNews) forgetAll();
  return isNews;
}

/** Whoever signs out leaves nothing in the browser. */
function forgetAll() {
  isLeaving = true;
  for (const timer of waiting.values()) clearTimeout(timer);
  waiting.clear();
  Object.keys(sessionStorage)
    .filter((key) => key.startsWith(PREFIX))
    .forEach((key) => sessionStorage.removeItem(key));
}

if (heedSignOut()) isLeaving = false;
settle();
if (!document.querySelector("[action='/sign-out'][data-sent]")) forms.forEach(begin);
addEventListener("storage", (event) => {
  if (event.key === SIGNED_OUT && heedSignOut()) setTimeout(() => location.reload(), WAIT); // the session ends meanwhile
});
if (forms.length) {
  document.addEventListener("input", onInput);
  document.addEventListener("change", onInput);
  document.addEventListener("click", onFollow, { capture: true });
  addEventListener("beforeunload", onUnload);
  addEventListener("pagehide", keepWaiting);
  addEventListener("pageshow", () => (isLeaving = false));
}
document.addEventListener("submit", onSubmit);
