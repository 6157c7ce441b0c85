import { expect, test } from "vitest";
import { mutatedSource } from "./bundled-mutant.js";
import { insightMutants } from "./insight-mutants.js";
import { nameOf } from "./mutant.js";
import { noticedIn } from "./noticed-in.js";
import { scopeMutants } from "./scope-mutants.js";
import { tableMutants } from "./table-mutants.js";

const mutants = [...insightMutants, ...scopeMutants, ...tableMutants];

test("Each mutant names a text that stands in its declaration once, so that no run spends minutes on a mutant that changes nothing.", () => {
  expect(mutants.length).toBeGreaterThan(150);
  const faults = mutants.flatMap((mutant) => {
    try {
      mutatedSource(mutant);
      return [];
    } catch (error) {
      return [(error as Error).message];
    }
  });
  expect(faults).toEqual([]);
});

test("What a history is known to notice is a mutant.", () => {
  const names = new Set(mutants.map(nameOf));
  expect(Object.keys(noticedIn).filter((name) => !names.has(name))).toEqual([]);
});
