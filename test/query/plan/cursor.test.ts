import { expect, test } from "vitest";
import { decodeCursor, encodeCursor, type PagedReport } from "../../../src/query/plan/cursor.js";
import { thrown } from "./thrown.js";

const key = Uint8Array.from({ length: 32 }, (_, at) => at);
const position = { createdAtMs: 1_772_323_200_123, id: "0190c7a0-1234-7abc-8def-0123456789ab", project: "shop", sequence: 4_294_967_295 };
const text = encodeCursor("searchEvents", position, "query", key);
const decode = (cursor: string, fingerprint = "query", withKey = key, report: PagedReport = "searchEvents") =>
  thrown(() => decodeCursor(report, cursor, fingerprint, withKey));

test.each([
  position,
  { createdAtMs: 0, id: "00000000-0000-0000-0000-000000000000", project: "", sequence: 0 },
  { createdAtMs: 253_402_300_799_999, id: "ffffffff-ffff-ffff-ffff-ffffffffffff", project: "\ufeffübung 🎈", sequence: 1 },
])("a position comes back as it was sealed: %j", (sealed) => {
  for (const report of ["searchEvents", "identitySessions"] as const)
    expect(decodeCursor(report, encodeCursor(report, sealed, "query", key), "query", key)).toEqual(sealed);
});

test("the same position, query and key give the same text, of base64url letters", () => {
  expect(encodeCursor("searchEvents", position, "query", key)).toBe(text);
  expect(text).toMatch(/^[A-Za-z0-9_-]{88}$/);
});

test("every changed letter makes the cursor invalid", () => {
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] === "A" ? "B" : "A";
    expect(decode(text.slice(0, at) + letter + text.slice(at + 1)), `letter ${at}`).toEqual(["invalid_cursor", "cursor"]);
  }
});

test.each(["", "x", text.slice(0, -1), `${text}A`, `${text}=`, ` ${text}`, "!".repeat(83), "é".repeat(83), "A".repeat(83), "x".repeat(1e6)])(
  "garbage is an invalid cursor: %.20s",
  (cursor) => {
    expect(decode(cursor)).toEqual(["invalid_cursor", "cursor"]);
  },
);

test("a cursor of another store is invalid, also for the same query", () => {
  expect(decode(text, "query", new Uint8Array(32))).toEqual(["invalid_cursor", "cursor"]);
});

test("a cursor of another query is a mismatch", () => {
  expect(decode(text, "other query")).toEqual(["cursor_mismatch", "cursor"]);
  expect(decode(text, "")).toEqual(["cursor_mismatch", "cursor"]);
});

test("a cursor of another endpoint is invalid, also with the same fingerprint", () => {
  expect(decode(text, "query", key, "identitySessions")).toEqual(["invalid_cursor", "cursor"]);
  expect(decode(encodeCursor("identitySessions", position, "query", key))).toEqual(["invalid_cursor", "cursor"]);
});

test("the sequence, which counts what came to all projects, does not stand in a cursor, nor does the difference of two", () => {
  const masked = (sequence: number) => Buffer.from(encodeCursor("searchEvents", { ...position, sequence }, "query", key), "base64url").readUInt32BE(26);
  const shown = [1, 2, 3, 4_294_967_295].map((sequence) => masked(sequence) ^ sequence);
  expect(shown).not.toContain(0);
  expect(new Set(shown).size).toBe(4);
});

test("cursors that are in somebody's hands stay good: the bytes of a search cursor do not change", () => {
  expect(text).toBe("isTQjC_gPJ46igNvsX9P4rVjSA0vqvgosjPUNN0F2fLIkfv7p7Bug8lqUKJy56HAhvsG_Xq6ruXGWnGwLA4Wh45D");
});
