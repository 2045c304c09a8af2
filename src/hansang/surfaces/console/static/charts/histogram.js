// How many have how much: bars from low to high, those above somebody darker, and each one a way to its players.

import { svg } from "./elements.js";
import { describe, hideTip, showTip } from "./readout.js";
import { bar, ticks } from "./scales.js";

const TOP = 44; // room for the name of whoever stands here

/** Draws the chart; false when there is no room for it yet. */
export function drawHistogram(figure, spec, { formats }) {
  const plot = figure.querySelector(".plot");
  const size = { width: plot.clientWidth, height: plot.clientHeight };
  if (size.width < 80 || size.height < 60) return false;
  const marks = ticks(0, Math.max(1, ...spec.bars.map((each) => each.count)), 3, true);
  const short = formats.number.short;
  const left = Math.max(...marks.map((value) => short(value).length)) * 8 + 14;
  const [top, bottom, right] = [spec.name ? TOP : 14, size.height - 26, size.width - 6];
  const step = (right - left) / spec.bars.length;
  const y = (value) => bottom - (value / marks.at(-1)) * (bottom - top);
  const picture = svg("svg", { viewBox: `0 0 ${size.width} ${size.height}`, "aria-label": spec.title, role: "group" });
  for (const value of marks) {
    picture.append(
      svg("line", { class: "grid-line", x1: left, x2: right, y1: y(value), y2: y(value) }),
      svg("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, short(value)),
    );
  }
  const every = Math.ceil(74 / step);
  spec.bars.forEach((each, i) => {
    const x = left + step * i;
    picture.append(drawBar(figure, each, { x, step, top, bottom, to: y(each.count), kind: kindOf(spec, i) }));
    if (i % every === 0 && (i + every / 2 < spec.bars.length || i === 0)) {
      picture.append(svg("text", { x: x + 1, y: size.height - 6, "text-anchor": i ? "middle" : "start" }, each.label));
    }
  });
  if (spec.name) drawHere(picture, spec, { x: left + step * (spec.here + 0.5), bottom, right, left });
  plot.replaceChildren(picture);
  describe(figure, spec.title, spec.head, spec.bars.map((each) => [each.full, each.text]));
  return true;
}

function kindOf(spec, i) {
  if (spec.inside) return spec.inside.includes(i) ? "above" : "pale";
  if (spec.here === null || i < spec.here) return "pale";
  return i === spec.here ? "here" : "above";
}

function drawBar(figure, { count, full, text, href }, { x, step, top, bottom, to, kind }) {
  const width = Math.max(1, step - Math.min(3, step * 0.18));
  const height = count ? Math.min(to, bottom - 1.5) : bottom;
  const way = svg("a", { href, "aria-label": `${full}, ${text}` });
  way.append(
    svg("path", { class: `bar ${kind} c-blue`, d: bar(x, height, width, bottom, Math.min(3, width / 3)) }),
    svg("rect", { class: "hit", x, y: top, width: step, height: bottom - top }),
  );
  const show = () => showTip(figure, full, [{ color: "blue", name: text, value: "" }], x + step / 2, Math.min(to, bottom - 30));
  way.onpointerenter = show;
  way.onfocus = show;
  way.onpointerleave = () => hideTip(figure);
  way.onblur = () => hideTip(figure);
  return way;
}

function drawHere(picture, spec, { x, bottom, right, left }) {
  const isLeft = x > (left + right) / 2;
  const [at, anchor] = [x + (isLeft ? -9 : 9), isLeft ? "end" : "start"];
  picture.append(
    svg("line", { class: "here-line", x1: x, x2: x, y1: 10, y2: bottom }),
    svg("circle", { class: "here-dot", cx: x, cy: 10, r: 4.5 }),
    svg("text", { class: "here-name", x: at, y: 14, "text-anchor": anchor }, spec.name),
    svg("text", { x: at, y: 31, "text-anchor": anchor }, spec.about),
  );
}
