// Amounts as people type them, read as the server reads them: 35000, 3.5만, 1억 2천, 35,000원, 12000+8500.

const SMALL = { 십: 10, 백: 100, 천: 1000 };
const LARGE = { 만: 1e4, 억: 1e8, 조: 1e12 };
const TOKEN = /[0-9][0-9,]*(?:\.[0-9]+)?|[십백천만억조원₩+-]/y;
const NUMBER = /^(?:[0-9]{1,3}(?:,[0-9]{3}){1,8}|[0-9]{1,15})(?:\.[0-9]{1,8})?$/;
const LONGEST = 100;

/** The won that a text means, null if it cannot be read. */
export function readAmount(text) {
  const plain = text.normalize("NFKC").trim().replaceAll("−", "-");
  if (!plain || text.length > LONGEST || /[0-9] +[0-9]/.test(plain)) return null;
  const tokens = tokensOf(plain.replaceAll(" ", ""));
  if (!tokens) return null;
  const terms = [];
  for (const token of "+-".includes(tokens[0]) ? tokens : ["+", ...tokens]) {
    if (token === "+" || token === "-") terms.push([token]);
    else terms.at(-1).push(token);
  }
  let total = 0;
  for (const [sign, ...rest] of terms) {
    const value = rest.length ? term(rest) : null;
    if (value === null) return null;
    total += sign === "-" ? -value : value;
  }
  total = Number(total.toFixed(6));
  return Number.isInteger(total) ? total : null;
}

function tokensOf(plain) {
  const found = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < plain.length) {
    const match = TOKEN.exec(plain);
    if (!match) return null;
    found.push(match[0]);
  }
  return found;
}

/** One amount without a sign; what follows 억 without a unit of its own is meant in 만. */
function term(given) {
  const tokens = given[0] === "₩" ? given.slice(1) : given;
  const isWon = tokens.at(-1) === "원";
  if (tokens.length === (isWon ? 1 : 0)) return null;
  let [total, section, number, largest, unit] = [0, 0, null, 1e16, 1e4];
  for (const token of isWon ? tokens.slice(0, -1) : tokens) {
    if (token in SMALL) {
      if (SMALL[token] >= unit) return null;
      unit = SMALL[token];
      section += (number ?? 1) * unit;
      number = null;
    } else if (token in LARGE) {
      if (LARGE[token] >= largest) return null;
      [largest, unit] = [LARGE[token], 1e4];
      total += (number === null && !section ? 1 : section + (number ?? 0)) * largest;
      [section, number] = [0, null];
    } else if (number === null && NUMBER.test(token)) number = Number(token.replaceAll(",", ""));
    else return null;
  }
  if (largest === LARGE.억 && section && number === null && !isWon) return total + section * LARGE.만;
  return total + section + (number ?? 0);
}

/** 1,234,567, with the minus that people write. */
export function written(value) {
  return `${value < 0 ? "−" : ""}${Math.abs(value).toLocaleString("en-US")}`;
}
