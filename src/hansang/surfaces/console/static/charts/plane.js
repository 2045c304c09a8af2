// Charts over two axes: bars beside and upon each other, lines, areas, and ranks (where less is higher).

import { svg } from "./elements.js";
import { layOut } from "./layout.js";
import { describe, followReader, hideTip, showTip } from "./readout.js";
import { bar, smooth } from "./scales.js";

const WIDEST_BAR = 18;

/** Draws the chart; false when there is no room for it yet. */
export function drawPlane(figure, spec, { formats, hidden }) {
  const plot = figure.querySelector(".plot");
  const size = { width: plot.clientWidth, height: plot.clientHeight };
  if (size.width < 80 || size.height < 60) return false;
  const series = spec.series.filter((each) => !hidden.has(each.key));
  const plane = layOut(spec, series, size, formats[spec.format ?? "number"]);
  const picture = svg("svg", {
    viewBox: `0 0 ${size.width} ${size.height}`,
    role: "img",
    "aria-label": spec.title,
    tabindex: 0,
  });
  const marker = drawGround(picture, plane, spec);
  drawBars(picture, plane);
  const readings = plane.lines.map((each) => drawLine(picture, plane, each, spec, figure));
  plot.replaceChildren(picture);
  letRead(figure, picture, { plane, spec, series, marker, readings, formats });
  tell(figure, spec, series, formats);
  return true;
}

// ── the ground: grid, labels, and what marks the place that is read ────────────────────────────────

function drawGround(picture, plane, spec) {
  const { left, right, bottom, top } = plane;
  for (const value of plane.ticks) {
    const y = Math.round(plane.y(value));
    picture.append(
      svg("line", { class: "grid-line", x1: left, x2: right, y1: y, y2: y }),
      svg("text", { x: left - 10, y: y + 4, "text-anchor": "end" }, plane.short(value)),
    );
  }
  if (plane.hasRightAxis) {
    for (const value of [0, 25, 50, 75, 100]) {
      picture.append(svg("text", { x: right + 8, y: plane.yRight(value) + 4 }, `${value}%`));
    }
  }
  plane.shownLabels.forEach((i) => {
    picture.append(svg("text", { x: plane.x(i), y: plane.height - 6, "text-anchor": plane.anchor(i) }, plane.label(i)));
  });
  const marker = plane.isBanded
    ? svg("rect", { class: "band", y: top, height: bottom - top, width: plane.step, rx: 6 })
    : svg("line", { class: "cross", y1: top, y2: bottom });
  picture.append(marker);
  return marker;
}

// ── bars ──────────────────────────────────────────────────────────────────────────────────────────

function drawBars(picture, plane) {
  const { stacks, step } = plane;
  if (!stacks.length) return;
  const gap = Math.min(4, step * 0.08);
  const widest = plane.count <= 8 ? WIDEST_BAR * 1.5 : WIDEST_BAR;
  const width = Math.min(widest, (step * 0.68 - gap * (stacks.length - 1)) / stacks.length);
  const all = width * stacks.length + gap * (stacks.length - 1);
  stacks.forEach((stack, k) => {
    for (let i = 0; i < plane.count; i += 1) {
      const x = Number((plane.x(i) - all / 2 + k * (width + gap)).toFixed(1));
      drawStack(picture, plane, stack, i, x, width);
    }
  });
}

function drawStack(picture, plane, stack, i, x, width) {
  let base = 0;
  stack.forEach((series, level) => {
    const from = plane.y(base);
    base += series.values[i] ?? 0;
    const to = plane.y(base);
    const isTop = level === stack.length - 1;
    const foot = Math.max(to, from - (level ? 1.5 : 0)); // a hairline of ground between two storeys
    const path = svg("path", {
      class: `bar c-${series.color}`,
      d: bar(x, to, width, foot, isTop ? Math.min(4, width / 3) : 0),
    });
    path.style.animationDelay = `${i * 18}ms`;
    picture.append(path);
  });
}

// ── lines ─────────────────────────────────────────────────────────────────────────────────────────

/** Draws one line, and returns the dot that shows where it is read and the points it can stand on. */
function drawLine(picture, plane, series, spec, figure) {
  const y = series.axis === "right" ? plane.yRight : plane.y;
  const points = series.values.map((value, i) => (value === null ? null : [plane.x(i), y(value)]));
  const group = svg("g", { class: `drawn c-${series.color}` });
  for (const run of unbroken(points)) {
    if ((spec.type === "area" || spec.type === "rank") && !series.isBare) group.append(...shade(plane, run, figure, series));
    group.append(svg("path", { class: "line", d: smooth(run) }));
  }
  picture.append(group);
  if (plane.isBanded) group.append(...points.filter(Boolean).map((point) => pointOf(point, plane.step)));
  else markEnds(group, plane, series, points, spec);
  const dot = svg("circle", { class: `dot reading c-${series.color}`, r: 5 });
  picture.append(dot);
  return { dot, points };
}

/** Runs of points with no gap in them. */
function unbroken(points) {
  const runs = [[]];
  for (const point of points) {
    if (point) runs.at(-1).push(point);
    else if (runs.at(-1).length) runs.push([]);
  }
  return runs.filter((run) => run.length);
}

function shade(plane, run, figure, series) {
  const id = `shade-${figure.dataset.chart}-${series.key}`;
  const gradient = svg(
    "linearGradient",
    { id, x1: 0, y1: 0, x2: 0, y2: 1 },
    svg("stop", { class: "shade-top", offset: 0 }),
    svg("stop", { class: "shade-end", offset: 1 }),
  );
  const ground = `L${run.at(-1)[0]},${plane.bottom}L${run[0][0]},${plane.bottom}z`;
  return [svg("defs", {}, gradient), svg("path", { d: smooth(run) + ground, fill: `url(#${id})` })];
}

function pointOf([cx, cy], step) {
  return svg("circle", { class: "point", cx, cy, r: step < 30 ? 2.6 : 3.4 });
}

/** The last point, labelled; of ranks, the best one. */
function markEnds(group, plane, series, points, spec) {
  const last = points.findLastIndex(Boolean);
  if (last < 0) return;
  group.append(svg("circle", { class: "dot", cx: points[last][0], cy: points[last][1], r: 5 }));
  const known = series.values.filter((value) => value !== null);
  const labelled = spec.type === "rank" ? series.values.indexOf(Math.min(...known)) : last;
  if (plane.lines.length > 1) return; // labels of several lines would lie upon each other
  const [x, y] = points[labelled];
  if (spec.type === "rank") group.append(svg("circle", { class: "dot c-amber", cx: x, cy: y, r: 5 }));
  const text = spec.type === "rank" ? plane.full(series.values[labelled]) : plane.short(series.values[labelled]);
  const within = Math.max(plane.left + 24, Math.min(x, plane.right - 14));
  group.append(svg("text", { class: "end-label", x: within, y: y - 12, "text-anchor": "middle" }, text));
}

// ── reading ───────────────────────────────────────────────────────────────────────────────────────

function letRead(figure, picture, { plane, spec, series, marker, readings, formats }) {
  const show = (i) => {
    moveMarker(marker, plane, i);
    for (const { dot, points } of readings) moveDot(dot, points[i], plane.isBanded);
    const rows = series.map((each) => rowOf(each, i, spec, formats));
    const heights = readings.map(({ points }) => points[i]?.[1]).filter((y) => y !== undefined);
    const y = plane.isBanded || !heights.length ? plane.top + 60 : Math.min(...heights);
    showTip(figure, titleOf(spec, i), rows, plane.x(i), y);
  };
  followReader(picture, { count: plane.count, at: plane.placeAt, show, hide: () => hideTip(figure) });
}

function moveMarker(marker, plane, i) {
  if (plane.isBanded) {
    marker.setAttribute("x", plane.x(i) - plane.step / 2);
    return;
  }
  marker.setAttribute("x1", plane.x(i));
  marker.setAttribute("x2", plane.x(i));
}

function moveDot(dot, point, isBanded) {
  dot.toggleAttribute("hidden", !point || isBanded);
  dot.setAttribute("visibility", point && !isBanded ? "visible" : "hidden");
  if (!point) return;
  dot.setAttribute("cx", point[0]);
  dot.setAttribute("cy", point[1]);
}

function titleOf(spec, i) {
  return String((spec.full ?? spec.labels)[i]);
}

function rowOf(series, i, spec, formats) {
  return {
    color: series.color,
    isLine: series.kind === "line",
    name: series.name,
    value: written(series, i, spec, formats),
  };
}

function written(series, i, spec, formats) {
  const value = series.values[i];
  return value === null ? "–" : formats[series.format ?? spec.format ?? "number"].full(value);
}

function tell(figure, spec, series, formats) {
  const head = [spec.head ?? spec.title, ...series.map((each) => each.name)];
  const rows = spec.labels.map((_, i) => [titleOf(spec, i), ...series.map((each) => written(each, i, spec, formats))]);
  describe(figure, spec.title, head, rows);
}
