// Days as squares, a week a column: the more there was, the deeper the colour.

import { svg } from "./elements.js";
import { describe, followReader, hideTip, showTip } from "./readout.js";

const DAY = 86400000;
const LEFT = 24;
const TOP = 18;
const WIDEST = 22;

export function drawCalendar(figure, spec, { formats }) {
  const plot = figure.querySelector(".plot");
  const { clientWidth: width, clientHeight: height } = plot;
  if (width < 80 || height < 60 || !spec.days.length) return false;
  const cell = Math.min(WIDEST, Math.floor((height - TOP) / 7));
  const days = newest(filled(spec.days), Math.floor((width - LEFT) / cell));
  const color = spec.color ?? "teal";
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": spec.title, tabindex: 0 });
  const deepest = Math.max(...days.map((each) => each.value), 1);
  const squares = days.map((each) => squareOf(each, cell, color, deepest));
  picture.append(...weekdays(days, cell, formats.day), ...months(days, cell, formats.day), ...squares);
  plot.replaceChildren(picture);
  letRead(figure, picture, { days, squares, cell, color, spec, formats });
  const format = formats[spec.format ?? "number"];
  describe(figure, spec.title, [spec.title, spec.name ?? ""], days.map((each) => [formats.day.full(each.day), format.full(each.value)]));
  return true;
}

/** Every day from the first to the last, with its column and its row; a week begins on Monday. */
function filled(given) {
  const values = new Map(given.map((each) => [each.day, each.value]));
  const known = [...values.keys()].sort();
  const first = Date.parse(known[0]);
  const offset = (new Date(first).getUTCDay() + 6) % 7;
  const found = [];
  for (let time = first; time <= Date.parse(known.at(-1)); time += DAY) {
    const place = Math.round((time - first) / DAY) + offset;
    const day = new Date(time).toISOString().slice(0, 10);
    found.push({ day, value: values.get(day) ?? 0, column: Math.floor(place / 7), row: place % 7 });
  }
  return found;
}

/** As many weeks as there is room for, the last ones. */
function newest(days, columns) {
  const start = Math.max(0, days.at(-1).column - columns + 1);
  return days.filter((each) => each.column >= start).map((each) => ({ ...each, column: each.column - start }));
}

function squareOf({ value, column, row }, cell, color, deepest) {
  const step = value ? Math.ceil((value / deepest) * 4) : 0;
  return svg("rect", {
    class: `day c-${color} ${step ? `step-${step}` : "none"}`,
    x: LEFT + column * cell,
    y: TOP + row * cell,
    width: cell - 3,
    height: cell - 3,
    rx: 3,
  });
}

function weekdays(days, cell, format) {
  const named = days.filter((each, i) => [0, 2, 4].includes(each.row) && days.findIndex((other) => other.row === each.row) === i);
  return named.map((each) => svg("text", { x: 0, y: TOP + each.row * cell + cell * 0.62 }, format.weekday(each.day)));
}

function months(days, cell, format) {
  const firsts = days.filter((each) => each.day.endsWith("-01"));
  return firsts.map((each) => svg("text", { x: LEFT + each.column * cell, y: 10 }, format.month(each.day)));
}

function letRead(figure, picture, { days, squares, cell, color, spec, formats }) {
  const places = new Map(days.map((each, i) => [`${each.column},${each.row}`, i]));
  const mark = (i) => squares.forEach((square, k) => square.classList.toggle("on", k === i));
  const show = (i) => {
    const { day, value, column, row } = days[i];
    mark(i);
    const rows = [{ color, name: spec.name ?? spec.title, value: formats[spec.format ?? "number"].full(value) }];
    showTip(figure, formats.day.full(day), rows, LEFT + (column + 0.5) * cell, TOP + row * cell);
  };
  const hide = () => {
    mark(-1);
    hideTip(figure);
  };
  const at = (x, y) => places.get(`${Math.floor((x - LEFT) / cell)},${Math.floor((y - TOP) / cell)}`) ?? null;
  const steps = { ArrowLeft: -7, ArrowRight: 7, ArrowUp: -1, ArrowDown: 1 };
  followReader(picture, { count: days.length, at, show, hide, steps });
}
