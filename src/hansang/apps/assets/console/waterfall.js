// The waterfall from the income to what is left: each step hangs from where the one before it ended.

import { svg } from "../charts/elements.js";
import { formatsFor } from "../charts/formats.js";
import { describe } from "../charts/readout.js";
import { ticks } from "../charts/scales.js";

const formats = formatsFor(document.documentElement.lang);
const NARROW = 480;
const LINE = 14;

/** Draws the chart; false when there is no room for it yet. */
function draw(figure, spec) {
  const plot = figure.querySelector(".plot");
  const [width, height] = [plot.clientWidth, plot.clientHeight];
  if (width < 80 || height < 60) return false;
  const isNarrow = width < NARROW;
  const format = formats[spec.format];
  const steps = stepsOf(spec);
  const areBroken = isNarrow || steps.some((each) => lengthOf(each.name) > width / (steps.length + 1));
  const edge = 26 + (areBroken ? LINE : 0);
  const scale = ticks(Math.min(0, ...steps.map((each) => Math.min(each.from, each.to))), Math.max(1, ...steps.map((each) => Math.max(each.from, each.to))));
  const left = Math.max(...scale.map((value) => format.short(value).length)) * 8 + 14;
  const y = (value) => edge + (height - 2 * edge) * (1 - (value - scale[0]) / (scale.at(-1) - scale[0]));
  const step = (width - left) / steps.length;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": spec.title });
  for (const value of scale) {
    const at = Math.round(y(value));
    picture.append(svg("line", { class: "grid-line", x1: left, x2: width, y1: at, y2: at }), svg("text", { x: left - 10, y: at + 4, "text-anchor": "end" }, format.short(value)));
  }
  const wide = Math.min(54, step * 0.62);
  steps.forEach((each, place) => {
    const middle = left + step * (place + 0.5);
    const [top, bottom] = [Math.min(y(each.from), y(each.to)), Math.max(y(each.from), y(each.to))];
    if (place < steps.length - 1) picture.append(svg("line", { class: "joint", x1: middle + wide / 2, x2: middle + step - wide / 2, y1: y(each.to), y2: y(each.to) }));
    const bar = svg("rect", { class: `bar c-${each.color}`, x: middle - wide / 2, y: top, width: wide, height: Math.max(1.5, bottom - top), rx: 4 });
    bar.append(svg("title", {}, `${each.name} ${format.full(each.value)}`));
    // Bars of one height stand side by side: on a narrow screen each second amount is one line higher.
    const up = 8 + (isNarrow && place % 2 ? LINE : 0);
    picture.append(bar, svg("text", { class: "end-label", x: middle, y: top - up, "text-anchor": "middle" }, signed(each.value, format)));
    const words = areBroken ? each.name.split(/[ ·]/) : [each.name];
    words.forEach((word, line) => picture.append(svg("text", { x: middle, y: height - 8 - LINE * (words.length - 1 - line), "text-anchor": "middle" }, word)));
  });
  plot.replaceChildren(picture);
  describe(figure, spec.title, [spec.title, spec.head], steps.map((each) => [each.name, format.full(each.value)]));
  return true;
}

/** About how wide a name is; Hangul is twice as wide as Latin. */
function lengthOf(name) {
  return [...name].reduce((sum, each) => sum + (each > "\u1100" ? 13 : 7), 0);
}

function signed(value, format) {
  return `${value < 0 ? "−" : ""}${format.short(Math.abs(value))}`;
}

function stepsOf(spec) {
  let at = 0;
  const steps = spec.steps.map((each) => ({ ...each, from: at, to: (at += each.value) }));
  return [...steps, { ...spec.end, from: 0, to: at }];
}

for (const figure of document.querySelectorAll("figure[data-waterfall]")) {
  const spec = JSON.parse(figure.querySelector("script").textContent);
  new ResizeObserver(() => draw(figure, spec)).observe(figure);
}
