// The board of a week: the time that is left counts down, rows whose player has just improved say so for a moment,
// and the page keeps still while somebody reads it or has stopped it, and offers what is new.

const SHOWN = 4000;
const SLIDE = { duration: 250, easing: "ease-out" };
const isCalm = matchMedia("(prefers-reduced-motion: reduce)");
const canHover = matchMedia("(hover: hover)");

// ── the time that is left ──

function countDown() {
  const clock = document.querySelector("[data-until]");
  if (!clock) return;
  const left = Math.max(0, new Date(clock.dataset.until) - Date.now()) / 1000;
  const [days, hours, minutes] = [left / 86400, (left / 3600) % 24, (left / 60) % 60].map(Math.floor);
  const two = (value) => String(value).padStart(2, "0");
  const text = left >= 3600 ? [clock.dataset.days, clock.dataset.hours] : [clock.dataset.hours, clock.dataset.hours];
  clock.textContent = (days ? text[0] : text[1])
    .replace("{days}", days)
    .replace("{hours}", days ? two(hours) : hours)
    .replace("{minutes}", two(minutes));
  clock.classList.toggle("soon", left < 600);
}

// ── what moved ──

let before = rows(document);
let marks = new Map(); // what rows say for a moment, by player
let tops = new Map(); // where rows were before they moved

function rows(page) {
  const found = [...page.querySelectorAll("[data-player]")];
  return new Map(found.map(({ dataset: { player, rank, score, at } }) => [player, { rank: +rank, score: +score, at }]));
}

/** What a player has done to stand where they stand now; being pushed by others is nothing. */
function changes(now) {
  const seen = [...before.values()].reduce((last, { at }) => (at > last ? at : last), "");
  const found = new Map();
  for (const [player, { rank, score, at }] of now) {
    const stood = before.get(player);
    // Who comes in sight because others moved has an older score than those who were seen.
    if (!stood && at >= seen) found.set(player, { kind: "new" });
    else if (stood && score > stood.score) found.set(player, { kind: rank < stood.rank ? "rose" : "better", by: stood.rank - rank });
    else if (stood && score < stood.score) found.set(player, { kind: "fell" });
  }
  return found;
}

function onLive() {
  const now = rows(document);
  const found = changes(now);
  for (const [player, mark] of found) marks.set(player, mark);
  before = now;
  drawMarks();
  slide();
  offer(0);
  countDown();
  if (found.size) setTimeout(() => forget(found), SHOWN);
}

function forget(found) {
  for (const [player, mark] of found) if (marks.get(player) === mark) marks.delete(player);
  drawMarks();
}

function drawMarks() {
  for (const tag of document.querySelectorAll(".just")) tag.remove();
  for (const row of document.querySelectorAll("tr[data-player]")) {
    const mark = marks.get(row.dataset.player);
    if (!mark) delete row.dataset.moved;
    else {
      row.dataset.moved = mark.kind;
      if (follow?.dataset[mark.kind]) row.querySelector(".who").append(tagged(follow.dataset[mark.kind].replace("{by}", mark.by)));
    }
  }
}

function tagged(text) {
  const tag = document.createElement("span");
  tag.className = "just";
  tag.textContent = text;
  return tag;
}

function noteTops() {
  tops = new Map([...document.querySelectorAll("tr[data-player]")].map((row) => [row.id, row.offsetTop]));
}

function slide() {
  for (const [id, top] of isCalm.matches ? [] : tops) {
    const row = document.getElementById(id);
    if (row && row.offsetTop !== top) {
      row.animate([{ transform: `translateY(${top - row.offsetTop}px)` }, { transform: "none" }], SLIDE);
    }
  }
  tops.clear();
}

// ── keeping still ──

const follow = document.querySelector("[data-follow]");
const offered = document.querySelector("[data-offer]");
let isPaused = false;
let lostAt = 0;

/** Whether somebody reads the board: with the pointer or the focus in it, or further down. */
function isRead() {
  const board = document.querySelector("[data-board]");
  if (!board) return false;
  const isUnderPointer = canHover.matches && board.matches(":hover");
  return isUnderPointer || board.querySelector("tbody").matches(":focus-within") || board.getBoundingClientRect().top < 0;
}

function onRenewal(event) {
  const now = rows(event.detail);
  const isSame = [...now.keys()].join() === [...before.keys()].join();
  const count = Math.max(changes(now).size, isSame ? 0 : 1);
  if (isPaused || (count && isRead())) {
    event.preventDefault();
    offer(count);
  } else noteTops();
}

function offer(count) {
  offered.hidden = !count;
  offered.firstElementChild.textContent = count ? offered.dataset.text.replace("{count}", count) : "";
}

function showHeld() {
  noteTops();
  document.dispatchEvent(new Event("liveshow"));
}

function release() {
  if (!offered.hidden && !isPaused) requestAnimationFrame(() => isRead() || isPaused || showHeld());
}

function pause() {
  isPaused = !isPaused;
  const button = follow.querySelector("button");
  button.lastElementChild.textContent = isPaused ? follow.dataset.resume : follow.dataset.pause;
  tellState();
  if (!isPaused) showHeld();
}

/** Says how the page hears what is new; for how long it has not is no news to be read aloud. */
function tellState() {
  const hears = document.documentElement.dataset.hears ?? "connecting";
  const state = isPaused ? "paused" : hears;
  const [badge, ago] = [follow.querySelector(".live"), follow.querySelector("small")];
  lostAt = hears === "lost" ? lostAt || Date.now() : 0;
  badge.dataset.state = state;
  if (badge.textContent !== follow.dataset[state]) badge.textContent = follow.dataset[state];
  ago.textContent = state === "lost" ? follow.dataset.ago.replace("{seconds}", Math.round((Date.now() - lostAt) / 1000)) : "";
}

function onKey(event) {
  const isFree = event.target === document.body || event.target.id === "main";
  if (event.key !== " " || !isFree || localStorage.getItem("hansang keys") === "off") return;
  event.preventDefault();
  pause();
}

if (follow) {
  follow.hidden = false;
  follow.querySelector("button").addEventListener("click", pause);
  offered.addEventListener("click", showHeld);
  document.addEventListener("live", onLive);
  document.addEventListener("liverenewal", onRenewal);
  document.addEventListener("livestate", tellState);
  document.addEventListener("keydown", onKey);
  for (const name of ["pointerout", "focusout", "scroll"]) document.addEventListener(name, release, { passive: true });
  setInterval(tellState, 1000);
  tellState();
}
setInterval(countDown, 1000);
countDown();
