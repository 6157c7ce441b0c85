import { parameterError } from "../../core/base/errors.js";

/** Parses a query string. @throws invalid_parameter (broken percent-encoding), duplicate_parameter */
export function parseQuery(text: string): Record<string, string> {
  const query = Object.create(null) as Record<string, string>;
  if (text === "") return query;
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const equalsAt = pair.indexOf("=");
    const name = decode(equalsAt === -1 ? pair : pair.slice(0, equalsAt));
    if (Object.hasOwn(query, name)) throw parameterError("duplicate_parameter", name.slice(0, 80), "expected once, got it twice");
    query[name] = equalsAt === -1 ? "" : decode(pair.slice(equalsAt + 1));
  }
  return query;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw parameterError("invalid_parameter", "query", `expected percent-encoded UTF-8, got ${JSON.stringify(text.slice(0, 80))}`);
  }
}
