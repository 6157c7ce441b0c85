import { seededRandom } from "daybook/testing";
import { expect, test } from "vitest";
import { TextTable } from "../../../src/storage/column/text-table.js";
import { agree } from "../../agree.js";
import { baseSeed } from "../../oracle/settings.js";

/** A table beside a `Map`, and the texts by code of both. */
function tables() {
  const texts = [""];
  const table = new TextTable(texts);
  const codes = new Map<string, number>();
  const add = (text: string) => {
    const code = texts.push(text) - 1;
    agree(table.add(text, code), !codes.has(text));
    if (!codes.has(text)) codes.set(text, code);
  };
  const remove = (text: string) => {
    table.remove(text, codes.get(text) ?? 0);
    codes.delete(text);
  };
  return { table, codes, add, remove };
}

/** Texts of one length that differ in a character that no hash reads. */
const alike = (count: number) => Array.from({ length: count }, (_, at) => `${"x".repeat(975)}${String.fromCharCode(97 + at)}${"y".repeat(24)}`);

test("It answers what a Map of the same texts answers, while they come and go, few or many, of whatever length.", () => {
  const random = seededRandom(baseSeed);
  const textOf = (number: number) => `${"p".repeat(number % 3 === 0 ? 60 : 0)}${number}${"s".repeat(number % 5 === 0 ? 40 : 0)}é`;
  const { table, codes, add, remove } = tables();
  for (const range of [400, 900, 30_000]) {
    for (let step = 0; step < 20_000; step += 1) {
      const text = textOf(random.below(range));
      if (random.chance(0.7)) add(text);
      else remove(text);
    }
    for (let number = 0; number < range; number += 1) agree(table.codeOf(textOf(number)), codes.get(textOf(number)) ?? -1);
  }
});

test("Texts of one hash are told from each other, more of them than a bucket holds too.", () => {
  const { table, codes, add, remove } = tables();
  for (let at = 0; at < 600; at += 1) add(`t${at}`);
  for (const text of alike(26)) add(text);
  for (let at = 600; at < 3_000; at += 1) add(`t${at}`);
  for (const text of alike(4)) remove(text);
  for (const text of alike(26)) expect(table.codeOf(text)).toBe(codes.get(text) ?? -1);
});

test("The codes of many rows are those of each row alone, and new texts are marked.", () => {
  for (const size of [20, 5_000]) {
    const { table, add } = tables();
    for (let at = 0; at < size; at += 1) add(`t${at}`);
    for (const text of alike(12)) add(text);
    const random = seededRandom(baseSeed);
    const column = Array.from({ length: 1_000 }, () => random.pick(["", "new", `t${random.below(size)}`, ...alike(13)]));
    const codes = new Int32Array(2_001);
    const hasNew = new Uint8Array(1_000);
    table.codesOf([...column.map(() => "other"), ...column, "other"], codes, 1_000, hasNew, 1_000);
    const expected = column.map((text) => (text === "" ? 0 : table.codeOf(text)));
    expect([...codes]).toEqual([...column.map(() => 0), ...expected, 0]);
    expect([...hasNew]).toEqual(expected.map((code) => (code < 0 ? 1 : 0)));
  }
});

test("A text that lost its code has none, though it was looked up just before.", () => {
  for (const size of [20, 5_000]) {
    const { table, add, remove } = tables();
    for (let at = 0; at < size; at += 1) add(`t${at}`);
    const codeOf = (text: string) => {
      const codes = new Int32Array(1);
      table.codesOf([text], codes, 0, new Uint8Array(1), 1);
      return codes[0];
    };
    expect(codeOf("t7")).toBe(8);
    remove("t7");
    expect([codeOf("t7"), codeOf("t8")]).toEqual([-1, 9]);
    add("t7");
    expect(codeOf("t7")).toBe(size + 1);
  }
});
