import { DaybookError, fixedClock, openDaybook, type Storage } from "daybook";
import { expect, test } from "vitest";
import { storageWith, withObject, type Objects } from "../store/objects.js";
import { pairOf, twins } from "./twins.js";

const clock = fixedClock(Date.UTC(2026, 3, 1));

function swapped(objects: Objects, [first, second]: [string, string]): Objects {
  return withObject(withObject(objects, first, objects.get(second) ?? null), second, objects.get(first) ?? null);
}

async function opening(storage: Storage): Promise<string> {
  try {
    return `count ${await (await openDaybook({ storage, clock, readOnly: true })).countEvents()}`;
  } catch (error) {
    return error instanceof DaybookError ? `${error.code}: ${error.message}` : `foreign ${String(error)}`;
  }
}

test.each(["segments/", "identities/"])("Two files of %s of the same length that changed places are noticed at opening.", async (folder) => {
  const objects = await twins();
  const pair = pairOf(objects, folder);
  expect(objects.get(pair[0])?.length).toBe(objects.get(pair[1])?.length);
  expect(await opening(await storageWith(objects))).toBe("count 2");
  expect(await opening(await storageWith(swapped(objects, pair)))).toMatch(`corruption: ${pair[0]} is damaged: its footer has the checksum`);
});
