import { DaybookError, shown } from "../../core/base/errors.js";
import type { ByteRange } from "./storage.js";

const keyPattern = /^[a-zA-Z0-9._-]+(?:\/[a-zA-Z0-9._-]+)*$/;
const prefixPattern = /^[a-zA-Z0-9._/-]*$/;
const partCharsMax = 128;

/** Checks that a key has parts of 1 to 128 characters `[a-zA-Z0-9._-]` joined by `/`, none of them `.` or `..`. @throws internal */
export function checkKey(key: string): void {
  const valid =
    keyPattern.test(key) && key.split("/").every((part) => part !== "." && part !== ".." && part.length <= partCharsMax);
  if (valid) return;
  const expected = `parts of 1 to ${partCharsMax} characters [a-zA-Z0-9._-] joined by "/", none of them "." or ".."`;
  throw new DaybookError("internal", `storage key: expected ${expected}, got ${shown(key)}`);
}

/** Whether a name could be part of a key; files in folders of other names, such as `lost+found`, are not objects. */
export function isKeyPart(name: string): boolean {
  return name.length <= partCharsMax && keyPattern.test(name) && !name.includes("/");
}

/** Checks that `prefix` could begin a key; the empty prefix begins all. @throws internal */
export function checkPrefix(prefix: string): void {
  if (prefixPattern.test(prefix) && !prefix.startsWith("/") && !prefix.split("/").includes("..")) return;
  throw new DaybookError("internal", `storage prefix: expected the beginning of a key, got ${shown(prefix)}`);
}

/** Clips a range to an object of `byteLength` bytes; without a range, returns all of it. @throws internal */
export function clipRange(range: ByteRange | undefined, byteLength: number): ByteRange {
  if (range === undefined) return { start: 0, end: byteLength };
  const { start, end } = range;
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start) {
    throw new DaybookError("internal", `storage range: expected 0 <= start <= end, got ${shown(range)}`);
  }
  return { start: Math.min(start, byteLength), end: Math.min(end, byteLength) };
}

/** The error for a write with `ifAbsent` to an existing key. */
export function keyTaken(key: string): DaybookError {
  return new DaybookError("internal", `storage key ${key} already exists`, { key });
}

/** The error for a truncation that would lengthen the object. */
export function cannotLengthen(key: string, from: number, to: number): DaybookError {
  return new DaybookError("internal", `${key}: expected a truncation to 0 to ${from} bytes, got ${shown(to)}`, { key });
}
