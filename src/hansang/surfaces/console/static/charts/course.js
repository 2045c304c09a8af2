// Courses over days: ranks (1 on top) or scores, with days without data as bars, and one crosshair for a group of charts.

import { svg } from "./elements.js";
import { describe, followReader, hideTip, showTip } from "./readout.js";
import { smooth, ticks } from "./scales.js";

const LETTER = 7.2; // the width of a digit at 11.5 px, generously
const LINE_HEIGHT = 15;

/** Draws the chart; false when there is no room for it yet. */
export function drawCourse(figure, spec, { formats }) {
  const plot = figure.querySelector(".plot");
  const size = { width: plot.clientWidth, height: plot.clientHeight };
  if (size.width < 80 || size.height < 60) return false;
  const plane = layOut(spec, size, formats[spec.format ?? "number"]);
  const picture = svg("svg", { viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": spec.title, tabindex: 0 });
  drawZone(picture, plane, spec);
  drawGround(picture, plane, spec);
  drawGaps(picture, plane, spec.gaps);
  const cross = svg("line", { class: "cross", y1: plane.top, y2: plane.bottom });
  picture.append(cross);
  const dots = spec.series.map((series) => drawLine(picture, plane, series, spec, figure));
  drawEnds(picture, plane, spec);
  for (const flag of spec.flags ?? []) drawFlag(picture, plane, flag);
  plot.replaceChildren(picture);
  letRead(figure, picture, { plane, spec, cross, dots });
  const head = [spec.head ?? spec.title, ...spec.series.map((each) => each.name)];
  describe(figure, spec.title, head, spec.full.map((day, i) => [day, ...spec.series.map((each) => each.texts[i] ?? "–")]));
  return true;
}

// ── where everything stands ────────────────────────────────────────────────────────────────────────

function layOut(spec, size, format) {
  const values = spec.series.flatMap((each) => each.values).filter((value) => value !== null);
  const marks = marksOf(values, spec);
  const [low, high] = [marks[0], marks.at(-1)];
  const name = (value) => (spec.unit ? `${format.short(value)}${spec.unit}` : format.short(value));
  const left = Math.max(...marks.map((value) => wide(name(value)))) + 16;
  const right = size.width - (spec.ends ? Math.min(130, size.width * 0.26) : 16);
  const [top, bottom] = [spec.ends ? 12 : 22, size.height - 26];
  const count = spec.labels.length;
  const step = (right - left) / Math.max(1, count - 1);
  const share = (value) => (value - low) / (high - low || 1);
  const every = Math.max(1, Math.ceil(62 / Math.max(step, 0.01)));
  return {
    left,
    right,
    top,
    bottom,
    step,
    count,
    marks,
    name,
    height: size.height,
    room: size.width - right - 11,
    x: (i) => (count === 1 ? (left + right) / 2 : left + step * i),
    y: (value) => top + (spec.isRank ? share(value) : 1 - share(value)) * (bottom - top),
    placeAt: (x) => Math.max(0, Math.min(count - 1, Math.round((x - left) / (step || 1)))),
    shown: spec.labels.map((_, i) => i).filter((i) => (count - 1 - i) % every === 0),
  };
}

function marksOf(values, spec) {
  if (!values.length) return spec.isRank ? [1, 2] : [0, 1];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (!spec.isRank) return ticks(low, high, 4, true);
  const from = spec.zone && low <= spec.zone.to * 1.5 && high > spec.zone.to / 4 ? 1 : low;
  const found = ticks(from === 1 ? 0 : from, Math.max(high, from + 4), 4, true).map((value) => Math.max(1, value));
  return [...new Set(found)];
}

/** About how wide a text is; Hangul is about twice as wide as Latin. */
function wide(text) {
  return [...text].reduce((sum, each) => sum + (each.charCodeAt(0) > 0x2e80 ? 11.5 : LETTER), 0);
}

/** A text cut to the room that it has. */
function fitting(text, room) {
  if (wide(text) <= room) return text;
  const letters = [...text];
  while (letters.length > 1 && wide(`${letters.join("")}…`) > room) letters.pop();
  return `${letters.join("")}…`;
}

// ── the ground ─────────────────────────────────────────────────────────────────────────────────────

function drawZone(picture, plane, spec) {
  if (!spec.zone || plane.marks[0] > spec.zone.to) return;
  const end = Math.min(plane.y(spec.zone.to), plane.bottom);
  picture.append(
    svg("rect", { class: "zone", x: plane.left, y: plane.top, width: plane.right - plane.left, height: end - plane.top }),
    svg("text", { class: "zone-name", x: plane.left + 8, y: plane.top + 15 }, spec.zone.name),
  );
}

function drawGround(picture, plane, spec) {
  for (const value of plane.marks) {
    const y = Math.round(plane.y(value));
    picture.append(
      svg("line", { class: "grid-line", x1: plane.left, x2: plane.right, y1: y, y2: y }),
      svg("text", { x: plane.left - 10, y: y + 4, "text-anchor": "end" }, plane.name(value)),
    );
  }
  for (const i of plane.shown) {
    const anchor = i === plane.count - 1 && !spec.ends ? "end" : "middle";
    picture.append(svg("text", { x: plane.x(i), y: plane.height - 6, "text-anchor": anchor }, spec.labels[i]));
  }
}

/** A day without data is a bar, and never a joined line. */
export function drawGaps(picture, plane, gaps = []) {
  const width = Math.max(4, Math.min(14, plane.step * 0.7));
  for (const i of gaps) {
    picture.append(
      svg("rect", { class: "gap", x: plane.x(i) - width / 2, y: plane.top, width, height: plane.bottom - plane.top, rx: 3 }),
    );
  }
}

// ── lines ──────────────────────────────────────────────────────────────────────────────────────────

function drawLine(picture, plane, series, spec, figure) {
  const points = series.values.map((value, i) => (value === null ? null : [plane.x(i), plane.y(value)]));
  const group = svg("g", { class: `drawn c-${series.color}` });
  for (const run of unbroken(points)) {
    if (spec.isArea) group.append(...shade(plane, run.map((i) => points[i]), `${figure.dataset.course}-${series.key}`));
    for (const [part, isFirm] of parts(run, series.firm)) {
      const path = part.length > 1 ? smooth(part.map((i) => points[i])) : "";
      group.append(svg("path", { class: isFirm ? "line" : "line computed", d: path }));
    }
    if (run.length === 1) group.append(svg("circle", { class: "point", cx: points[run[0]][0], cy: points[run[0]][1], r: 3 }));
  }
  const last = points.findLastIndex(Boolean);
  if (last >= 0) group.append(svg("circle", { class: "dot", cx: points[last][0], cy: points[last][1], r: 5 }));
  if (last >= 0 && !spec.ends) group.append(endLabel(plane, points[last], series.texts[last]));
  const dot = svg("circle", { class: `dot reading c-${series.color}`, r: 5 });
  picture.append(group, dot);
  return { dot, points };
}

/** Places in a row that have a point. */
function unbroken(points) {
  const runs = [[]];
  points.forEach((point, i) => {
    if (point) runs.at(-1).push(i);
    else if (runs.at(-1).length) runs.push([]);
  });
  return runs.filter((run) => run.length);
}

/** A run in parts that are firm (official) or not (computed); neighbours share the point between them. */
function parts(run, firm) {
  if (!firm) return [[run, true]];
  const found = [];
  for (const i of run) {
    const isFirm = Boolean(firm[i]);
    if (!found.length) found.push([[i], isFirm]);
    else if (found.at(-1)[1] === isFirm || found.at(-1)[0].length === 1) {
      found.at(-1)[0].push(i);
      found.at(-1)[1] = isFirm;
    } else found.push([[found.at(-1)[0].at(-1), i], isFirm]);
  }
  return found;
}

function shade(plane, run, name) {
  const id = `shade-${name}`;
  const gradient = svg(
    "linearGradient",
    { id, x1: 0, y1: 0, x2: 0, y2: 1 },
    svg("stop", { class: "shade-top", offset: 0 }),
    svg("stop", { class: "shade-end", offset: 1 }),
  );
  const ground = `L${run.at(-1)[0]},${plane.bottom}L${run[0][0]},${plane.bottom}z`;
  return [svg("defs", {}, gradient), svg("path", { d: smooth(run) + ground, fill: `url(#${id})` })];
}

function endLabel(plane, [x, y], text) {
  const isHigh = y < plane.top + 16;
  const at = Math.min(x + 4, plane.right + 8);
  return svg("text", { class: "end-label", x: at, y: isHigh ? y + 22 : y - 11, "text-anchor": "end" }, text);
}

/** The names of several lines at their ends, apart from each other. */
function drawEnds(picture, plane, spec) {
  if (!spec.ends) return;
  const ends = spec.series
    .map((series) => ({ series, last: series.values.findLastIndex((value) => value !== null) }))
    .filter(({ last }) => last >= 0)
    .map(({ series, last }) => ({ series, last, y: plane.y(series.values[last]) }))
    .sort((one, other) => one.y - other.y);
  let lowest = -Infinity;
  for (const end of ends) {
    end.y = Math.max(end.y, lowest + LINE_HEIGHT);
    lowest = end.y;
  }
  for (const { series, last, y } of ends) {
    const whole = `${series.name} ${series.texts[last] ?? ""}`;
    const text = wide(whole) < plane.room * 1.1 ? whole : fitting(series.name, plane.room);
    picture.append(svg("text", { class: "end-label", x: plane.right + 11, y: y + 4 }, text));
  }
}

function drawFlag(picture, plane, { at, value, text }) {
  const [x, y] = [plane.x(at), plane.y(value)];
  const isLeft = x > (plane.left + plane.right) / 2;
  picture.append(
    svg(
      "g",
      { class: "flag" },
      svg("circle", { cx: x, cy: y, r: 4.5 }),
      svg("text", { x: x + (isLeft ? -9 : 9), y: y - 8, "text-anchor": isLeft ? "end" : "start" }, text),
    ),
  );
}

// ── reading ────────────────────────────────────────────────────────────────────────────────────────

function letRead(figure, picture, { plane, spec, cross, dots }) {
  const show = (i) => {
    cross.setAttribute("x1", plane.x(i));
    cross.setAttribute("x2", plane.x(i));
    for (const { dot, points } of dots) {
      dot.setAttribute("visibility", points[i] ? "visible" : "hidden");
      if (points[i]) [dot.cx.baseVal.value, dot.cy.baseVal.value] = points[i];
    }
    const heights = dots.map(({ points }) => points[i]?.[1]).filter((y) => y !== undefined);
    const rows = spec.series.map((each) => ({ color: each.color, isLine: true, name: each.name, value: each.texts[i] ?? "–" }));
    showTip(figure, spec.full[i], [...rows, ...notes(spec, i)], plane.x(i), heights.length ? Math.min(...heights) : plane.top + 40);
  };
  const hide = () => hideTip(figure);
  const tell = (place) => document.dispatchEvent(new CustomEvent("course", { detail: { group: spec.group, place, from: figure } }));
  followReader(picture, {
    count: plane.count,
    at: plane.placeAt,
    show: (i) => {
      show(i);
      if (spec.group) tell(i);
    },
    hide: () => {
      hide();
      if (spec.group) tell(null);
    },
  });
  figure.listening?.abort();
  figure.listening = new AbortController();
  const onCourse = ({ detail }) => {
    if (!spec.group || detail.group !== spec.group || detail.from === figure) return;
    if (detail.place === null) hide();
    else show(detail.place);
  };
  document.addEventListener("course", onCourse, { signal: figure.listening.signal });
}

function notes(spec, i) {
  return (spec.notes?.[i] ?? []).map(([name, value]) => ({ color: "none", name, value }));
}
