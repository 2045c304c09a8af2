// The first steps: an amount is read back at once, and the sums run along.

import { readAmount, written } from "./amounts.js";

const words = JSON.parse(document.querySelector("template[data-reads-words]").content.textContent);

function tell(input) {
  const place = input.closest(".acc, .wiz-body")?.querySelector("[data-reads]");
  const amount = input.value.trim() ? readAmount(input.value) : 0;
  input.toggleAttribute("aria-invalid", amount === null);
  input.setCustomValidity(amount === null ? words.unread : "");
  if (!place) return;
  const isPlain = input.value.trim() === "" || written(amount ?? 0) === input.value.trim();
  place.hidden = isPlain;
  place.textContent = isPlain ? "" : amount === null ? words.unread : words.read.replace("{amount}", written(amount));
}

function sum() {
  let whole = 0;
  for (const family of document.querySelectorAll("[data-family]")) {
    const amounts = [...family.querySelectorAll("[data-amount]")].map((each) => readAmount(each.value) ?? 0);
    const total = amounts.reduce((all, each) => all + each, 0);
    family.querySelector("[data-family-sum]").textContent = written(total);
    whole += total;
  }
  const place = document.querySelector("[data-whole]");
  if (place) place.textContent = written(whole);
}

document.addEventListener("input", (event) => {
  if (!event.target.matches("[data-amount]")) return;
  tell(event.target);
  sum();
});
sum();
