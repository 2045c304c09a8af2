// What a chart says of one place: the box beside it, how people get there, and the table for screen readers.

import { html, swatch } from "./elements.js";

/** Shows the box at a place of the figure. Rows: { color, isLine, name, value }. */
export function showTip(figure, title, rows, x, y) {
  const tip = figure.querySelector(".tip") ?? figure.appendChild(html("div", "tip"));
  tip.setAttribute("aria-hidden", "true");
  tip.replaceChildren(html("b", "", title), ...rows.map(line));
  const left = x + 16 + tip.offsetWidth > figure.clientWidth ? x - tip.offsetWidth - 16 : x + 16;
  const top = Math.max(-8, Math.min(y - tip.offsetHeight / 2, figure.clientHeight - tip.offsetHeight));
  tip.style.transform = `translate(${Math.max(0, left)}px, ${top}px)`;
  tip.classList.add("on");
  figure.classList.add("hot");
}

export function hideTip(figure) {
  figure.querySelector(".tip")?.classList.remove("on");
  figure.classList.remove("hot");
}

function line({ color, isLine, name, value }) {
  return html("div", "", html("span", "key", swatch(color, isLine), name), html("b", "", value));
}

/**
 * Leads pointer, finger and arrow keys to places 0 … count - 1.
 * `at(x, y)` is the place under a point; `steps` says how far each key goes.
 */
export function followReader(element, { count, at, show, hide, steps }) {
  let current = -1;
  const go = (place) => {
    current = Math.max(0, Math.min(count - 1, place));
    show(current);
  };
  const leave = () => {
    current = -1;
    hide();
  };
  const onPoint = (event) => {
    const box = element.getBoundingClientRect();
    const place = at(event.clientX - box.left, event.clientY - box.top);
    if (place === null) leave();
    else go(place);
  };
  const onKey = (event) => {
    if (event.key === "Escape") return leave();
    const to = target(event.key, current, count, steps);
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  };
  element.onpointermove = onPoint;
  element.onpointerdown = onPoint;
  element.onpointerleave = leave;
  element.onblur = leave;
  element.onkeydown = onKey;
}

function target(key, current, count, steps = { ArrowLeft: -1, ArrowRight: 1 }) {
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  if (!(key in steps)) return undefined;
  return current < 0 ? count - 1 : current + steps[key];
}

/** The same numbers as a table that only screen readers meet. */
export function describe(figure, caption, head, rows) {
  figure.querySelector(".as-table")?.remove();
  const table = html("table", "", html("caption", "", caption));
  table.append(html("thead", "", html("tr", "", ...head.map((text) => headCell(text, "col")))));
  table.append(html("tbody", "", ...rows.map(describeRow)));
  figure.append(html("div", "vh as-table", table)); // the wrapper carries the clip: a table would not shrink
}

function describeRow([first, ...rest]) {
  return html("tr", "", headCell(first, "row"), ...rest.map((text) => html("td", "", text)));
}

function headCell(text, scope) {
  const cell = html("th", "", text);
  cell.scope = scope;
  return cell;
}
