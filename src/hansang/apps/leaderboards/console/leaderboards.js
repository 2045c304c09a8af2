// The board of a week: the time that is left counts down, and rows that moved say so for a moment.

const SHOWN = 4000;

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

let before = ranks();

function ranks() {
  return new Map([...document.querySelectorAll("[data-board] tbody tr")].map((row) => [row.id, Number(row.dataset.rank)]));
}

function onLive() {
  const now = ranks();
  for (const [id, rank] of now) {
    const stood = before.get(id);
    if (stood && stood !== rank) mark(document.getElementById(id), rank < stood ? "rose" : "fell");
  }
  before = now;
  countDown();
}

function mark(row, kind) {
  row.classList.add(kind);
  setTimeout(() => row.classList.remove(kind), SHOWN);
}

document.addEventListener("live", onLive);
setInterval(countDown, 1000);
countDown();
