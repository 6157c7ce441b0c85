import { describe, expect, test, vi } from "vitest";
import { Admission, handlerLimits, ParseRoom } from "../../../src/http/overload/admission.js";

const KIB = 1024;
const MIB = 1024 * KIB;
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

/** Bodies that ask to enter one after the other, and which of them have. */
async function entering(room: ParseRoom, byteLengths: readonly number[]): Promise<number[]> {
  const entered: number[] = [];
  byteLengths.forEach((byteLength, body) => {
    const waiting = room.acquire(byteLength);
    if (waiting === null) entered.push(body);
    else void waiting.then(() => entered.push(body));
  });
  await settle();
  return entered;
}

describe("bodies that are parsed and not answered yet", () => {
  test("are no more bytes than there is room for, in order of arrival", async () => {
    const room = new ParseRoom(300 * KIB);
    const entered = await entering(room, [100, 200, 50, 300, 10].map((kib) => kib * KIB));
    expect(entered).toEqual([0, 1]);
    room.release(100 * KIB);
    await settle();
    // The fourth would be too much, and the fifth does not overtake it.
    expect(entered).toEqual([0, 1, 2]);
    room.release(200 * KIB);
    room.release(50 * KIB);
    await settle();
    expect(entered).toEqual([0, 1, 2, 3]);
    room.release(300 * KIB);
    await settle();
    expect(entered).toEqual([0, 1, 2, 3, 4]);
  });

  test("do not overtake a longer one that waits", async () => {
    const room = new ParseRoom(300 * KIB);
    const entered = await entering(room, [100, 100, 150, 20].map((kib) => kib * KIB));
    expect(entered).toEqual([0, 1]);
    room.release(100 * KIB);
    await settle();
    expect(entered).toEqual([0, 1, 2, 3]);
  });

  test("may be of any size where they are alone", async () => {
    const room = new ParseRoom(300 * KIB);
    expect(await entering(room, [20 * MIB, 20 * MIB])).toEqual([0]);
  });

  test("of one organization do not keep those of another waiting, nor short ones, nor queries", async () => {
    const admission = new Admission(handlerLimits(), () => 0);
    const parsed: string[] = [];
    const ask = (organization: string, name: string, byteLength: number, isWritten = true) => {
      const held = admission.hold(organization);
      const turn = held.parseTurn(byteLength, isWritten);
      if (turn === null) parsed.push(name);
      else void turn.then(() => parsed.push(name));
      return held;
    };
    const first = ask("acme", "first", 3 * MIB);
    ask("acme", "second", 100 * KIB);
    ask("acme", "short", 10 * KIB);
    ask("acme", "question", 100 * KIB, false);
    ask("bolt", "other", 3 * MIB);
    await settle();
    expect(parsed.sort()).toEqual(["first", "other", "question", "short"]);
    first.release();
    await settle();
    expect(parsed).toContain("second");
  });

  test("whose key is not known have a room of their own, and go into that of the organization once it is", async () => {
    const admission = new Admission(handlerLimits(), () => 0);
    const [first, second, other] = [admission.hold("acme"), admission.hold(null), admission.hold(null)];
    await first.parseTurn(2 * MIB, true);
    await second.parseTurn(2 * MIB, true);
    const told: string[] = [];
    void second.assignOrganization("acme")?.then(() => told.push("second is in"));
    void other.parseTurn(MIB, true)?.then(() => told.push("other is parsed"));
    await settle();
    expect(told).toEqual([]);
    first.release();
    await settle();
    expect(told).toEqual(["second is in", "other is parsed"]);
    expect(other.assignOrganization("bolt")).toBeNull();
  });

  test("are parsed a few in a turn of the event loop", async () => {
    const admission = new Admission(handlerLimits(), () => 0);
    const parsed: number[] = [];
    for (const body of [0, 1, 2]) void admission.hold("acme").parseTurn(200 * KIB, true)?.then(() => parsed.push(body));
    for (let wait = 0; wait < 20; wait += 1) await Promise.resolve();
    expect(parsed).toEqual([0]);
    await vi.waitFor(() => expect(parsed).toEqual([0, 1, 2]));
  });
});
