// Who stood where among the first, day by day: a line each, with the name at its end; one of them can be brought forward.

import { svg } from "./elements.js";
import { drawGaps } from "./gaps.js";
import { describe, followReader, hideTip, showTip } from "./readout.js";

/** Draws the chart; false when there is no room for it yet. */
export function draw(figure, spec) {
  const plot = figure.querySelector(".plot");
  const size = { width: plot.clientWidth, height: plot.clientHeight };
  if (size.width < 80 || size.height < 60) return false;
  const plane = layOut(spec, size);
  const picture = svg("svg", { viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": spec.title, tabindex: 0 });
  for (let rank = 1; rank <= spec.places; rank += 1) {
    const y = plane.y(rank);
    picture.append(
      svg("line", { class: "grid-line", x1: plane.left, x2: plane.right, y1: y, y2: y }),
      svg("text", { x: plane.left - 12, y: y + 4, "text-anchor": "end" }, String(rank)),
    );
  }
  const every = Math.ceil(46 / plane.step);
  spec.labels.forEach((label, i) => {
    if ((plane.count - 1 - i) % every) return;
    picture.append(svg("text", { x: plane.x(i), y: size.height - 4, "text-anchor": "middle" }, label));
  });
  drawGaps(picture, plane, spec.gaps);
  const lines = spec.series.map((series) => drawLine(picture, plane, series));
  plot.replaceChildren(picture);
  letRead(figure, picture, { plane, spec, lines });
  const head = [spec.head, ...spec.series.map((each) => each.name)];
  describe(figure, spec.title, head, spec.full.map((day, i) => [day, ...spec.series.map((each) => String(each.values[i] ?? "–"))]));
  return true;
}

function layOut(spec, size) {
  const count = spec.labels.length;
  const [left, top, bottom] = [32, 12, size.height - 30];
  const right = size.width - Math.min(120, size.width * 0.3);
  const step = (right - left) / Math.max(1, count - 1);
  return {
    left,
    right,
    top,
    bottom,
    step,
    count,
    x: (i) => left + step * i,
    y: (rank) => top + ((rank - 1) / Math.max(1, spec.places - 1)) * (bottom - top),
  };
}

function drawLine(picture, plane, series) {
  const group = svg("g", { class: `bump c-${series.color}` });
  const points = series.values.map((rank, i) => (rank === null ? null : [plane.x(i), plane.y(rank)]));
  const last = points.findLastIndex(Boolean);
  for (let i = 1; i < points.length; i += 1) {
    if (points[i - 1] && points[i]) group.append(svg("path", { class: "line", d: turn(points[i - 1], points[i]) }));
  }
  points.forEach((point, i) => {
    if (point) group.append(svg("circle", { class: "point", cx: point[0], cy: point[1], r: i === last ? 4.6 : 2.6 }));
  });
  if (last === plane.count - 1) {
    group.append(svg("text", { class: "end-label", x: plane.right + 11, y: points[last][1] + 4 }, series.name));
  }
  picture.append(group);
  return { group, points };
}

/** From one rank to the next, level at both. */
function turn([x1, y1], [x2, y2]) {
  const middle = (x1 + x2) / 2;
  return `M${x1},${y1}C${middle},${y1} ${middle},${y2} ${x2},${y2}`;
}

function letRead(figure, picture, { plane, spec, lines }) {
  let column = plane.count - 1;
  const at = (x, y) => {
    column = Math.max(0, Math.min(plane.count - 1, Math.round((x - plane.left) / plane.step)));
    const away = lines.map(({ points }) => (points[column] ? Math.abs(points[column][1] - y) : Infinity));
    const nearest = away.indexOf(Math.min(...away));
    return away[nearest] === Infinity ? null : nearest;
  };
  const show = (place) => {
    lines.forEach(({ group }, i) => group.classList.toggle("on", i === place));
    const { group, points } = lines[place];
    group.parentNode.append(group);
    const day = points[column] ? column : points.findLastIndex(Boolean);
    const { name, color, values } = spec.series[place];
    showTip(figure, spec.full[day], [{ color, isLine: true, name, value: `${values[day]}${spec.unit}` }], ...points[day]);
  };
  const hide = () => {
    hideTip(figure);
    for (const { group } of lines) group.classList.remove("on");
  };
  followReader(picture, { count: lines.length, at, show, hide, steps: { ArrowUp: -1, ArrowDown: 1 } });
}
