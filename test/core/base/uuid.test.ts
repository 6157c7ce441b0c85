import { expect, test } from "vitest";
import { uuidOfText, uuidText, parseUuid } from "../../../src/core/base/uuid.js";

const TEXT = "0123abcd-4567-89ef-8001-f0e1d2c3b4a5";

test("A UUID in either case is its sixteen bytes.", () => {
  for (const text of [TEXT, TEXT.toUpperCase()]) expect(uuidText(parseUuid(text) ?? new Uint8Array(16))).toBe(TEXT);
  expect(uuidOfText(TEXT.toUpperCase())).toBe(TEXT);
});

test.each([...Array(36).keys()])("A text that is no UUID for its character %s is none, whatever part of the character's number looks like a digit.", (at) => {
  for (const character of ["g", "-", "0", " ", "\u0130", "\u00b0", "\u0161", "０"]) {
    const text = TEXT.slice(0, at) + character + TEXT.slice(at + 1);
    const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
    expect(parseUuid(text) !== null, text).toBe(isUuid);
  }
});
