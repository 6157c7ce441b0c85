import { seededRandom, type DiskOperation } from "daybook/testing";
import { expect, test } from "vitest";
import { survive } from "./crash-case.js";
import { Life, newFate } from "./life.js";

/** A store whose erasure failed: at the operation that `fails` names, behind the last rename of its manifest or with it. */
async function failedErasure(fails: (operation: DiskOperation, manifestCount: number) => boolean) {
  let isErasing = false;
  let manifestCount = 0;
  const refused: unknown[] = [];
  const life = new Life(newFate(), 1, undefined, undefined, {
    random: seededRandom(3),
    failed: (error) => refused.push(error),
    faults: (operation) => {
      if (!isErasing) return null;
      if (operation.kind === "rename" && operation.path.endsWith("/MANIFEST")) manifestCount += 1;
      return fails(operation, manifestCount) ? { errno: "EIO" } : null;
    },
  });
  await life.open();
  await life.actor.ingest(3, true);
  await life.actor.ingest(2);
  for (let step = 1; step <= 3; step += 1) await life.actor.stepRequest();
  isErasing = true;
  await life.actor.stepRequest();
  isErasing = false;
  expect(refused).toMatchObject([{ code: "internal", details: { errno: "EIO" } }]);
  return life;
}

test("An erasure that failed once its manifest may stand ends writing: values of the erased would come back as none.", async () => {
  // The first manifest is that of the seal before.
  const life = await failedErasure(({ kind }, manifestCount) => kind === "syncDirectory" && manifestCount === 2);
  expect(life.daybook.health).toBe("read_only");
  const count = await life.daybook.countEvents();
  await expect(life.daybook.ingest([{ name: "open", url: "/once-theirs" }])).rejects.toMatchObject({ code: "read_only" });
  expect(await life.daybook.countEvents()).toBe(count);
  const second = new Life(life.fate, 2, life.disk.state(), life.keeper.ledger, { random: seededRandom(4) });
  await survive(second, []);
});

test("An erasure that failed before its manifest stands can be tried again.", async () => {
  const life = await failedErasure(({ kind, path }, manifestCount) => kind === "rename" && path.endsWith("/MANIFEST") && manifestCount === 2);
  expect(life.daybook.health).toBe("ok");
  await life.actor.ingest(5);
  await life.actor.stepRequest();
  expect(life.keeper.ledger.request.done).toBe(4);
  const second = new Life(life.fate, 2, life.disk.state(), life.keeper.ledger, { random: seededRandom(4) });
  await survive(second, []);
});
