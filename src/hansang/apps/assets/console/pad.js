// The keypad of the phone and the line of quick entry: how much, for what, by whom; either thumb, no system keyboard.

import { readAmount, written } from "./amounts.js";
import { fieldsFor, words } from "./cells.js";
import { send } from "./queue.js";

const pad = document.querySelector("[data-pad]");
const find = (name) => pad.querySelector(`[data-pad-${name}]`);
const known = JSON.parse(find("codes").textContent);
const PEOPLE = "assets:by";
const state = { kind: "expense", text: "", chip: null, by: localStorage.getItem(PEOPLE) ?? "" };

/** What can be chosen of a kind: expenses are those of living and the fixed ones, a pot is put into or spent. */
function chipsOf(kind) {
  const of = (name, parts = (code) => [code]) => (known.codes[name] ?? []).map((code) => ({ kind: name, code, parts: parts(code), name: code }));
  if (kind === "expense") return [...of("living-expense"), ...of("fixed-expense")];
  if (kind !== "short-savings") return of(kind);
  const used = of(kind, (code) => [code, "사용"]).map((each) => ({ ...each, name: `${each.code} ${words.use}` }));
  return [...of(kind, (code) => [code, "적립"]), ...used];
}

function people() {
  const names = known.people.map((name) => [name, name]);
  return state.kind === "income" ? names : [...names, ["", words.together]];
}

function drawChips() {
  const chips = chipsOf(state.kind);
  if (!chips.some((each) => each.name === state.chip?.name)) state.chip = chips[0] ?? null;
  find("chips").replaceChildren(...chips.map((each) => button(each.name, each.name === state.chip?.name, () => choose(each))));
  if (state.kind === "income" && !state.by) state.by = known.people[0] ?? "";
  find("people").replaceChildren(...people().map(([by, name]) => button(name, by === state.by, () => chooseBy(by))));
}

function button(text, isOn, act) {
  const made = Object.assign(document.createElement("button"), { type: "button", textContent: text });
  made.setAttribute("aria-pressed", String(isOn));
  made.addEventListener("click", act);
  return made;
}

function choose(chip) {
  state.chip = chip;
  draw();
}

function chooseBy(by) {
  state.by = by;
  localStorage.setItem(PEOPLE, by);
  draw();
}

function draw() {
  drawChips();
  for (const each of pad.querySelectorAll("[data-pad-kind]")) {
    each.setAttribute("aria-pressed", String(each.dataset.padKind === state.kind));
  }
  const amount = state.text ? readAmount(state.text) : 0;
  find("sum").textContent = /[+−천만]/.test(state.text) ? state.text.replaceAll(/[+−]/g, " $& ") : "\u00a0";
  find("value").textContent = amount === null ? state.text : written(amount);
  const send = find("send");
  send.disabled = !amount || !state.chip;
  send.textContent = send.disabled ? words.pad_first : sentence(words.pad_send, state.chip.name, amount);
  find("becomes").textContent = send.disabled ? "\u00a0" : becomes(amount);
}

function sentence(text, name, amount) {
  return text.replace("{name}", name).replace("{amount}", written(amount));
}

function rowOf(chip) {
  const key = `${chip.kind}/${chip.code}${chip.parts[1] === "사용" ? "/use" : ""}`;
  return document.querySelector(`tr[data-row="${CSS.escape(key)}"]`);
}

function becomes(amount) {
  const before = Number(rowOf(state.chip)?.querySelector("[data-sum]").dataset.sum ?? 0);
  return `${state.chip.name} ${written(before)} → ${written(before + amount)}`;
}

function press(key) {
  if (key === "⌫") state.text = state.text.slice(0, -1);
  else if (state.text.length < 40) state.text += key;
  draw();
}

function submit(event) {
  event.preventDefault();
  const amount = readAmount(state.text);
  if (!amount || !state.chip) return;
  const memo = pad.querySelector("[name=memo]");
  const day = pad.querySelector("[type=date]").value;
  enter(state.chip, state.by, state.text, memo.value, day);
  [state.text, memo.value] = ["", ""];
  draw();
  if (!("alone" in pad.dataset)) pad.close();
}

export function enter(chip, by, text, memo, day) {
  const fields = fieldsFor(chip.kind, chip.parts, by, text, { mode: "add", memo, date: day });
  send(`/assets/months/${monthOf(day)}/cells`, fields, { row: `${chip.kind}/${chip.code}`, by, text });
}

function monthOf(day) {
  return document.querySelector("[data-ledger]")?.dataset.month ?? day.slice(0, 7).replace("-", ".");
}

/** On a phone a row opens the keypad for its code. */
function onRow(event) {
  const row = event.target.closest("tr[data-row]");
  if (!row || event.target.closest("button, a, form") || !matchMedia("(max-width: 820px)").matches) return;
  const kind = row.closest("tbody").dataset.kind;
  state.kind = kind.endsWith("expense") ? "expense" : kind;
  const parts = JSON.parse(row.dataset.parts);
  state.chip = chipsOf(state.kind).find((each) => each.kind === kind && each.code === row.dataset.name && (parts[1] ?? "") === (each.parts[1] ?? ""));
  draw();
  pad.showModal();
}

// ── one line ──

/** 식비 3.5만 마트 장보기: the code, the amount, who, and the rest is the memo. */
export function taken(line) {
  const found = { chip: null, amount: null, text: "", by: null, memo: [] };
  const chips = ["expense", "income", "savings", "investment", "short-savings"].flatMap(chipsOf);
  const isUse = line.split(/\s+/).includes("사용");
  for (const word of line.trim().split(/\s+/)) {
    const chip = found.chip ? null : chips.find((each) => each.code === word && (!isUse || each.parts[1] === "사용" || each.kind !== "short-savings"));
    if (chip) found.chip = chip;
    else if (found.amount === null && /[0-9]/.test(word) && readAmount(word) !== null) [found.amount, found.text] = [readAmount(word), word];
    else if (found.by === null && known.people.includes(word)) found.by = word;
    else if (!(isUse && word === "사용" && found.chip)) found.memo.push(word);
  }
  if (found.chip?.kind === "income" && found.by === null) found.by = known.people[0];
  return { ...found, memo: found.memo.join(" ") };
}

function onQuick(form) {
  const input = form.elements.line;
  const parsed = form.querySelector("[data-parsed]");
  const show = () => {
    const { chip, amount, by, memo } = taken(input.value);
    const chips = [chip?.name, amount === null ? null : `${written(amount)}${words.won}`, by, memo];
    parsed.replaceChildren(...(input.value.trim() ? chips.filter(Boolean) : []).map((text) => Object.assign(document.createElement("span"), { className: "badge quiet", textContent: text })));
  };
  input.addEventListener("input", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { chip, amount, text, by, memo } = taken(input.value);
    if (!chip || !amount) return void (parsed.textContent = words.unknown);
    enter(chip, by ?? "", text, memo, pad.querySelector("[type=date]").value);
    input.value = "";
    show();
  });
}

export function startPad() {
  pad.addEventListener("click", (event) => {
    const key = event.target.closest("[data-pad-key]");
    const kind = event.target.closest("[data-pad-kind]");
    if (key) press(key.dataset.padKey);
    if (kind) {
      state.kind = kind.dataset.padKind;
      draw();
    }
  });
  pad.addEventListener("keydown", (event) => {
    if (event.target.matches("input") || event.ctrlKey || event.metaKey) return;
    if (/^[0-9+]$/.test(event.key)) press(event.key);
    else if (event.key === "-") press("−");
    else if (event.key === "Backspace") press("⌫");
  });
  const day = pad.querySelector("[type=date]");
  day.addEventListener("change", () => (find("day").textContent = day.value === day.max ? words.today : day.value.slice(5).replace("-", ".")));
  find("form").addEventListener("submit", submit);
  document.addEventListener("click", onRow);
  for (const form of document.querySelectorAll("[data-quick]")) onQuick(form);
  draw();
  if ("alone" in pad.dataset) pad.show();
}
