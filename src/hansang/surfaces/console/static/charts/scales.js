// Round ticks, and the paths of lines and bars.

const ROUND = [1, 2, 2.5, 5, 10];

/** Round numbers that reach from below the lowest to above the highest value; whole ones for what is counted. */
export function ticks(low, high, count = 4, isWhole = false) {
  const raw = Math.max((high - low || 1) / count, isWhole ? 1 : 0);
  const power = 10 ** Math.floor(Math.log10(raw));
  const fits = (each) => each >= raw * 0.999 && (!isWhole || Number.isInteger(each));
  const step = ROUND.map((each) => each * power).find(fits);
  const found = [];
  for (let value = Math.floor(low / step) * step; value < high + step * 0.999; value += step) {
    found.push(Number(value.toFixed(6)));
  }
  return found;
}

/** A monotone cubic path (Fritsch–Carlson): smooth, and never beyond the points it joins. */
export function smooth(points) {
  const n = points.length;
  if (n < 3) return `M${points.map(spot).join("L")}`;
  const slopes = [];
  for (let i = 0; i < n - 1; i += 1) {
    slopes.push((points[i + 1][1] - points[i][1]) / (points[i + 1][0] - points[i][0]));
  }
  const tangents = points.map((_, i) => tangent(slopes, i));
  let path = `M${spot(points[0])}`;
  for (let i = 0; i < n - 1; i += 1) path += curve(points[i], points[i + 1], tangents[i], tangents[i + 1]);
  return path;
}

function tangent(slopes, i) {
  if (i === 0) return slopes[0];
  if (i === slopes.length) return slopes[i - 1];
  const [before, after] = [slopes[i - 1], slopes[i]];
  return before * after <= 0 ? 0 : (2 * before * after) / (before + after);
}

function curve(from, to, leaving, arriving) {
  const third = (to[0] - from[0]) / 3;
  const first = [from[0] + third, from[1] + leaving * third];
  const second = [to[0] - third, to[1] - arriving * third];
  return `C${spot(first)} ${spot(second)} ${spot(to)}`;
}

function spot([x, y]) {
  return `${x.toFixed(1)},${y.toFixed(1)}`;
}

/** A bar that stands on `bottom`, with its upper corners round. */
export function bar(x, top, width, bottom, radius) {
  const r = Math.min(radius, width / 2, Math.max(0, bottom - top));
  return `M${x},${bottom}V${top + r}q0,${-r} ${r},${-r}h${width - 2 * r}q${r},0 ${r},${r}V${bottom}z`;
}
