import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ERROR_CODES } from "../../src/base/errors.js";
import { SCOPES } from "../../src/http/index.js";
import { routes } from "../../src/http/routes.js";
import { STATUS } from "../../src/http/status.js";

const page = readFileSync(new URL("../../docs/http.md", import.meta.url), "utf8");

describe("docs/http.md", () => {
  it("lists exactly the routes of the table, with their scopes", () => {
    const documented = [...page.matchAll(/^\| `((?:GET|POST) [^`]+)` \| (?:`([^`]+)`|none) \|/gm)].map(([, route, scope]) => [route, scope]);
    const actual = routes.map(({ method, path, access }) => [`${method} ${path}`, access?.scope]);
    expect(documented.sort()).toEqual(actual.sort());
  });

  it("shows every error code that a request can meet with its status", () => {
    const rows = [...page.matchAll(/^\| (\d{3}) \| ([^|]+) \|/gm)];
    const documented = rows.flatMap(([, status, codes = ""]) =>
      [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => [code, Number(status)]),
    );
    const ofEvents = ["invalid_event", "duplicate", "suppressed", "project_not_allowed"];
    const actual = Object.keys(ERROR_CODES).filter((code) => !ofEvents.includes(code));
    expect(documented.sort()).toEqual(actual.map((code) => [code, STATUS[code as keyof typeof STATUS]]).sort());
  });

  it("names every scope", () => {
    expect(SCOPES.filter((scope) => !page.includes(scope))).toEqual([]);
  });
});
