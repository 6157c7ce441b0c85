import { isObject } from "../tracking/members.js";

/** Levels of members that are looked at: those of an event or record, of its metadata or traits, of changes of traits, and of objects among these. */
const LEVELS = 4;

/** The same without members whose value is the key, which clients and programs put where it tells nothing; itself where there is none. */
export function withoutKey<Value>(value: Value, key: string, levels: number = LEVELS): Value {
  if (!isObject(value) || levels === 0) return value;
  let isChanged = false;
  const kept: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const left = member === key ? undefined : withoutKey(member, key, levels - 1);
    if (left !== member) isChanged = true;
    if (member !== key) kept.push([name, left]);
  }
  return isChanged ? (Object.fromEntries(kept) as Value) : value;
}
