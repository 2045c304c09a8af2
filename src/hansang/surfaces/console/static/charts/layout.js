// Where everything of a chart over two axes stands: margins, scales, labels.

import { ticks } from "./scales.js";

const DIGIT = 7.4; // the width of a digit at 11.5 px, generously
const LETTER = { hangul: 11.5, other: 6.6 };
const MOST_NAMED = 12; // bars that stand for things and not for moments

export function layOut(spec, series, size, format) {
  const isRank = spec.type === "rank";
  const isBanded = spec.type === "bars";
  const stacks = stacksOf(series.filter((each) => each.kind === "bar"));
  const values = valuesOnLeft(series, stacks);
  const marks = marksOf(values, { isRank, isBanded });
  const hasRightAxis = series.some((each) => each.axis === "right");

  const top = 12;
  const bottom = size.height - 26;
  const left = Math.max(...marks.map((value) => format.short(value).length)) * DIGIT + 14;
  const right = size.width - (hasRightAxis ? 40 : 14);
  const count = spec.labels.length;
  const step = (right - left) / (isBanded ? count : Math.max(1, count - 1));
  const every = spacing(spec.labels, step, isBanded);
  const [low, high] = [marks[0], marks.at(-1)];
  const share = (value) => (value - low) / (high - low || 1);

  return {
    stacks,
    lines: series.filter((each) => each.kind !== "bar"),
    ticks: marks,
    isBanded,
    hasRightAxis,
    top,
    bottom,
    left,
    right,
    count,
    step,
    height: size.height,
    short: format.short,
    full: format.full,
    x: (i) => left + step * (isBanded ? i + 0.5 : i),
    y: (value) => top + (isRank ? share(value) : 1 - share(value)) * (bottom - top),
    yRight: (value) => top + (1 - value / 100) * (bottom - top),
    placeAt: (x) => Math.max(0, Math.min(count - 1, isBanded ? Math.floor((x - left) / step) : Math.round((x - left) / step))),
    label: (i) => shortened(String(spec.labels[i]), isBanded ? step * every : Infinity),
    shownLabels: spec.labels.map((_, i) => i).filter((i) => (count - 1 - i) % every === 0),
    anchor: (i) => (isBanded ? "middle" : i === 0 ? "start" : i === count - 1 ? "end" : "middle"),
  };
}

/** Bars of one stack stand upon each other, stacks beside each other. */
function stacksOf(bars) {
  const stacks = new Map();
  for (const series of bars) {
    const name = series.stack ?? series.key;
    stacks.set(name, [...(stacks.get(name) ?? []), series]);
  }
  return [...stacks.values()];
}

function valuesOnLeft(series, stacks) {
  const lines = series.filter((each) => each.kind !== "bar" && each.axis !== "right").flatMap((each) => each.values);
  const sums = stacks.flatMap((stack) => stack[0].values.map((_, i) => stack.reduce((sum, each) => sum + (each.values[i] ?? 0), 0)));
  return [...lines, ...sums].filter((value) => value !== null);
}

function marksOf(values, { isRank, isBanded }) {
  if (!values.length) return [0, 1];
  const low = isBanded ? Math.min(0, ...values) : Math.min(...values);
  const high = Math.max(...values, isBanded && !isRank ? 1 : -Infinity);
  const found = ticks(low, high, isBanded ? 4 : 5, values.every(Number.isInteger));
  if (!isRank) return found;
  return [...new Set(found.map((value) => Math.max(1, Math.round(value))))];
}

/** Every how many places there is room for a label, counted from the last one; a few bars all have theirs, cut if need be. */
function spacing(labels, step, isBanded) {
  const widest = Math.max(...labels.map((label) => widthOf(String(label))));
  if (isBanded && labels.length <= MOST_NAMED) return Math.max(1, Math.ceil(34 / step));
  const need = isBanded ? Math.max(34, widest + 12) : Math.max(48, widest + 24);
  return Math.max(1, Math.ceil(need / step));
}

/** About how wide a text is; Hangul is about twice as wide as Latin. */
function widthOf(text) {
  return [...text].reduce((sum, each) => sum + (each.charCodeAt(0) > 0x2e80 ? LETTER.hangul : LETTER.other), 0);
}

/** A label cut to the room that it has. */
function shortened(label, room) {
  let width = 0;
  for (let i = 0; i < label.length; i += 1) {
    width += label.charCodeAt(i) > 0x2e80 ? LETTER.hangul : LETTER.other;
    if (width > room && i > 1) return `${label.slice(0, Math.max(1, i - 1)).trimEnd()}…`;
  }
  return label;
}
