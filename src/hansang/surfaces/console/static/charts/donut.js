// A ring of shares with its list beside it; the middle says the sum, or the share that is pointed at.

import { html, svg, swatch } from "./elements.js";
import { describe } from "./readout.js";

const OUTER = 98;
const INNER = 72;
const GAP = 0.018; // of a radian, at either end of a slice

export function drawDonut(figure, spec, { formats }) {
  const format = formats[spec.format ?? "number"];
  const sum = spec.items.reduce((total, item) => total + item.value, 0) || 1;
  const picture = svg("svg", { viewBox: "-104 -104 208 208", role: "img", "aria-label": spec.title, tabindex: 0 });
  const slices = drawSlices(spec.items, sum);
  const name = svg("text", { class: "centre-name", y: -10 }, spec.center ?? "");
  const value = svg("text", { class: "centre-value", y: 16 }, format.short(sum));
  picture.append(...slices, name, value);
  const lines = spec.items.map((item) => lineOf(item, sum, format));
  figure.querySelector(".plot").replaceChildren(html("div", "donut", picture, html("ol", "", ...lines)));

  const point = (k) => {
    slices.forEach((slice, i) => slice.classList.toggle("dim", k >= 0 && i !== k));
    lines.forEach((line, i) => line.classList.toggle("on", i === k));
    name.textContent = k < 0 ? (spec.center ?? "") : spec.items[k].name;
    value.textContent = format.short(k < 0 ? sum : spec.items[k].value);
  };
  [slices, lines].forEach((elements) => elements.forEach((element, k) => pointAt(element, k, point)));
  followKeys(picture, spec.items.length, point);
  describe(figure, spec.title, [spec.title, format.full(sum)], spec.items.map((item) => [item.name, format.full(item.value)]));
  return true;
}

function drawSlices(items, sum) {
  let angle = -Math.PI / 2;
  return items.map((item) => {
    const from = angle;
    angle += (item.value / sum) * 2 * Math.PI;
    return svg("path", { class: `slice c-${item.color}`, d: slice(from + GAP, Math.max(from + GAP + 0.001, angle - GAP)) });
  });
}

function slice(from, to) {
  const large = to - from > Math.PI ? 1 : 0;
  const at = (radius, angle) => `${(radius * Math.cos(angle)).toFixed(2)},${(radius * Math.sin(angle)).toFixed(2)}`;
  const out = `M${at(OUTER, from)}A${OUTER},${OUTER} 0 ${large} 1 ${at(OUTER, to)}`;
  return `${out}L${at(INNER, to)}A${INNER},${INNER} 0 ${large} 0 ${at(INNER, from)}Z`;
}

function lineOf(item, sum, format) {
  const share = `${((item.value / sum) * 100).toFixed(0)}%`;
  const color = swatch(item.color);
  return html("li", "", color, html("span", "", item.name), html("span", "muted", format.short(item.value)), html("b", "", share));
}

function pointAt(element, k, point) {
  element.onpointerenter = () => point(k);
  element.onpointerleave = () => point(-1);
}

function followKeys(picture, count, point) {
  let current = -1;
  picture.onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") current = -1;
    else if (step) current = (current + step + count) % count;
    else return;
    event.preventDefault();
    point(current);
  };
  picture.onblur = () => {
    current = -1;
    point(-1);
  };
}
