import { fixedClock, openDaybook } from "daybook";
import { lastingMemory, objectsOf, type Objects } from "../store/objects.js";

const clock = fixedClock(Date.UTC(2026, 3, 1));

let made: Promise<Objects> | null = null;

/** Two segments of one day, two files of records, each pair of one length: alone they are whole files of the right kind. */
export function twins(): Promise<Objects> {
  return (made ??= make());
}

async function make(): Promise<Objects> {
  // Checksums in footers have nine digits or ten: one in a thousand of these stores has files of one length. Number 1,014 was the first.
  for (let attempt = 1_014; ; attempt += 1) {
    const storage = lastingMemory();
    const daybook = await openDaybook({ storage, clock });
    for (const [user, other] of [["a", "b"], ["b", "a"]] as const) {
      await daybook.ingest([{ id: `${attempt} ${user}`, name: "view", userId: user, anonymousId: other, createdAt: 5 }]);
      await daybook.identify({ id: `${attempt} ${user}`, userId: user, email: `${other}@example.org`, createdAt: 7 });
      await daybook.seal();
    }
    await daybook.close();
    const objects = await objectsOf(storage);
    const isTwin = (folder: string) => new Set(pairOf(objects, folder).map((key) => objects.get(key)?.length)).size === 1;
    if (["segments/", "identities/"].every(isTwin)) return objects;
  }
}

export function pairOf(objects: Objects, folder: string): [string, string] {
  const [first, second] = [...objects.keys()].filter((key) => key.startsWith(folder));
  if (first === undefined || second === undefined) throw new Error(`expected two files in ${folder}`);
  return [first, second];
}
