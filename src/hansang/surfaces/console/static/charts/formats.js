// Numbers for axes, read-outs and tables, as people of each language write them.

const BYTES = ["B", "KB", "MB", "GB", "TB"];

export function formatsFor(language) {
  const plain = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
  const fine = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  const compact = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });
  const dollars = new Intl.NumberFormat(language, { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" });
  const isKorean = language === "ko";
  const short = (value) => (Math.abs(value) < 10000 ? fine : compact).format(value);

  return {
    number: pair((value) => plain.format(value), short),
    compact: pair(short, short),
    units: pair((value) => fine.format(value), short),
    percent: pair((value) => `${fine.format(value)}%`, (value) => `${plain.format(value)}%`),
    won: pair((value) => (isKorean ? `${plain.format(value)}원` : `₩${plain.format(value)}`), short),
    usd: pair((value) => dollars.format(value), (value) => `$${short(value)}`),
    bytes: pair((value) => size(value, fine), (value) => size(value, plain)),
    rank: pair((value) => (isKorean ? `${plain.format(value)}위` : `#${plain.format(value)}`), (value) => plain.format(value)),
    day: dayFormat(language),
  };
}

/** A number in full, and as short as an axis needs it. */
function pair(full, short) {
  return { full, short };
}

function size(size_bytes, digits) {
  let value = size_bytes;
  let place = 0;
  while (value >= 1000 && place < BYTES.length - 1) {
    value /= 1024;
    place += 1;
  }
  return `${digits.format(value)} ${BYTES[place]}`;
}

function dayFormat(language) {
  const full = new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, { dateStyle: "long", timeZone: "UTC" });
  const month = new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, { month: "short", timeZone: "UTC" });
  const weekday = new Intl.DateTimeFormat(language, { weekday: "narrow", timeZone: "UTC" });
  return {
    full: (day) => full.format(new Date(`${day}T00:00:00Z`)),
    month: (day) => month.format(new Date(`${day}T00:00:00Z`)),
    weekday: (day) => weekday.format(new Date(`${day}T00:00:00Z`)),
  };
}
