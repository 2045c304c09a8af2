// Bars that lie below each other, each with its name and its number: for long names and clear order.

import { html } from "./elements.js";

export function drawRanked(figure, spec, { formats }) {
  const format = formats[spec.format ?? "number"];
  const most = Math.max(...spec.items.map((item) => item.value), 0) || 1;
  const lines = spec.items.map((item) => lineOf(item, most, format));
  figure.querySelector(".plot").replaceChildren(html("ul", "ranked", ...lines));
  figure.classList.add("h-auto");
  return true;
}

function lineOf(item, most, format) {
  const numbers = html("span", "num", html("b", "", format.full(item.value)));
  if (item.note) numbers.append(html("span", "muted", ` ${item.note}`));
  const row = html("div", "row", nameOf(item), numbers);
  const share = ((Math.max(0, item.value) / most) * 100).toFixed(2);
  const drawn = html("span", `c-${item.color ?? "blue"}`);
  drawn.style.width = `${share}%`;
  return html("li", "", row, html("div", "track", drawn));
}

/** The name, which leads on if there is somewhere to go. */
function nameOf(item) {
  const name = html(item.href ? "a" : "span", item.href ? "rows-link" : "", item.name);
  if (item.href) name.href = item.href;
  return name;
}
