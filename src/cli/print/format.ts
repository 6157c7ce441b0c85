/** A whole number with thousands separators. */
export function count(value: number): string {
  return value.toLocaleString("en-US");
}

/** A number of bytes in the most readable unit. */
export function bytes(byteLength: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = byteLength;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 2 : 1)} ${units[unit]}`;
}

/** A duration in ms as text: `340 ms`, `2.1 s`. */
export function duration(ms: number): string {
  return ms < 1 ? `${ms.toFixed(2)} ms` : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** `3 rows`, `1 row`. */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** Text that is safe on a terminal: control characters become `�`, and it is cut to `width` characters. */
export function plain(text: string, width: number): string {
  const safe = text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
  return safe.length > width ? `${safe.slice(0, width - 1)}…` : safe;
}
