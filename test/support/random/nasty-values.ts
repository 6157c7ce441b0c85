/** UTF-16 order and code point order differ: U+FF5E sorts after the astral character by unit, before it by code point. */
export const nastyTexts = [
  "a", "A", "b", "é", "e\u0301", "\u{1F600}", "\uFF5E", "ß", "İ", "ΔΟΣ", "δος", " a", "a ", "a,b", "a.b", "\\", "\"", "[",
  "null", "true", "false", "1", "1.0", "3", "3.0", "03", "-0", "1e3", "1000", "0x10", "+3", "1E21", "1e-7", "0.10", "9007199254740993", "3 ", ".5", "NaN", "Infinity",
  "__proto__", "constructor", "toString", "%", "_", "*", "2026-03-01", "2026-03-01T00:00:00Z",
  "2026-03-01T01:30:00.5+02:00", "2026-02-30", "\u0000", "line\nbreak", "\uFEFF", "\uFEFFa",
];

export const nastyNumbers = [
  0, 3, -1.5, 1_000, 1e21, 1e-7, 0.1, 5e-324, Number.MAX_VALUE, 9_007_199_254_740_992, -3, 123_456_789_012_345_680_000,
];

export const userIds = ["u1", "\uFEFFu1", "u2", "U1", "x", "1", "é", "e\u0301", "\u{1F600}", "\uFF5E", "a@example.org", "__proto__", " "];
export const anonymousIds = ["d1", "d2", "d3", "x", "u1", "\uFF5E", "\u{1F600}"];
export const eventNames = ["pageview", "Pageview", "purchase", "Ünïcode Náme", "click, here", "\u{1F600}", "1"];
export const projects = ["default", "shop", "Shop", "blog"];
export const urls = ["/", "/a", "/A", "/a?x=1", "/a#top", "/a?x=1#top", "?q", "/é", "https://u:p@example.org/é?b", "HTTP://u:p@Example.ORG:8080", "app://u@host/a",
  "/?utm_source=b&utm_medium=%20&utm_campaign=a#utm_source=A", "/a?gclid=1"];
export const referrers = ["https://www.google.com/", "https://google.com/x?y", "http://www.www.example.org/", "android", "/a"];
export const shortTexts = ["a", "A", "b", "é", "\u{1F600}", "\uFF5E", "3", "3.0", "true"];

export const metadataKeys = ["plan", "plan\uFEFF", "amount", "a.b", "a", "__proto__", "constructor", "utm_source", "when", "\u{1F600}", "url", "currency", "value"];

export const nastyInstants = [
  "2026-03-01", "2026-03-01T00:00:00Z", "2026-02-28T23:59:59.999Z", "2026-03-01T01:30:00.5+02:00", "2026-03-01T23:59:59.999Z",
  "2026-03-02", "2026-03-01T00:00:00.001Z", "2026-03-01t00:00:00z", "2026-02-30", "2026-03-01T00:00:00",
];

/** Paths that filters ask for: literal keys with dots, walks, walks that end nowhere, and walks into what is no object. */
export const metadataPaths = [...metadataKeys, "a.b.c", "a.c", "plan.x", "a.__proto__", "a.length", "missing", "a.0"];
