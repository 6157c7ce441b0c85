import { type DiskState, type Random, isSettled, powerLoss } from "daybook/testing";
import { settledBy, violation } from "./check.js";
import { afterPowerLoss } from "./ledger.js";
import { Life, randomMoment } from "./life.js";
import { type Observed, isErased, observe } from "./observe.js";
import type { Recording } from "./recording.js";
import { storedSecret } from "./stored-secret.js";

/** A crash after which something is wrong; `story` tells how it came to that. */
export class Violation extends Error {
  constructor(what: string, story: readonly string[], cause?: unknown) {
    super(`${what}\n  ${story.join("\n  ")}`, { cause });
  }
}

/** Lives a store may have, the one that is recorded being the first. */
const LIFE_COUNT_MAX = 5;

/**
 * One recorded life, a crash at a moment of it, and further lives that crash as well, while they open the store or later;
 * each is checked, the last one is opened once more. Answers the number of crash images. @throws Violation
 */
export async function crashCase(recording: Recording, random: Random): Promise<number> {
  const story: string[] = [];
  const lifeCount = random.chance(0.6) ? 2 : random.between(3, LIFE_COUNT_MAX);
  const fate = lifeCount === 2 ? recording.fate : { ...recording.fate, world: new Map(recording.fate.world), numbers: { ...recording.fate.numbers } };
  let moment = randomMoment(recording.moments, random);
  // What the next life must show exactly: the one before opened the same bytes, all of them durable.
  let sameText: string | null = null;
  for (let number = 2; ; number += 1) {
    const isKill = random.chance(0.25);
    story.push(`life ${number - 1} ends by ${isKill ? "kill" : "loss of power"} after ${moment.operation}${moment.isOpening ? ", while opening" : ""}`);
    const isLast = number === lifeCount;
    const state = isKill ? moment.state : powerLoss(moment.state, random);
    const life = new Life(fate, number, state, isKill ? moment.ledger : afterPowerLoss(moment.ledger), { random });
    if (!isLast) life.record();
    if (life.keeper.ledger.request.isErased) refuseSecret(state, "before the store was opened", story);
    const { text } = await survive(life, story);
    if (sameText !== null && text !== sameText) throw new Violation("an opening that was broken off changed what is there", story);
    if (isLast) {
      const isCrash = await openAgain(life, text, random, story);
      return isCrash ? number : number - 1;
    }
    await tell(story, () => goOn(life, random));
    moment = randomMoment(life.moments, random);
    sameText = moment.isOpening && isSettled(state) ? text : null;
  }
}

/** Opens the store and checks that everything is there. */
export async function survive(life: Life, story: readonly string[]): Promise<Observed> {
  const { keeper, fate } = life;
  const observed = await tell(story, async () => {
    await life.open();
    return await observe(life.daybook);
  });
  const wrong = violation(observed, keeper.ledger, fate.world);
  if (wrong !== null) throw new Violation(wrong, story);
  if (isErased(observed)) refuseSecret(life.disk.state(), "after the store was opened", story);
  keeper.ledger = settledBy(observed, keeper.ledger, fate.world);
  return observed;
}

/** Clients send again what they got no answer for; life goes on. */
async function goOn({ actor, keeper }: Life, random: Random): Promise<void> {
  const lost = keeper.ledger.facts.flatMap(({ kind, standing }, number) => (kind === "batch" && standing === "no" ? [number] : []));
  const sendAgain = async () => {
    for (const number of lost.slice(-2)) await actor.ingestAgain(number);
  };
  const write = async () => {
    for (let act = random.below(3); act > 0; act -= 1) await actor.act();
  };
  const ask = async () => {
    if (random.chance(0.3)) await actor.stepRequest();
  };
  await Promise.all([sendAgain(), write(), write(), ask()]);
}

/** What is shown stays, though the process be killed or closed, or power be lost. Answers whether it was a crash. */
async function openAgain(life: Life, text: string, random: Random, story: string[]): Promise<boolean> {
  const isClosed = random.chance(0.3);
  if (isClosed) await tell(story, () => life.close());
  story.push(isClosed ? "then it is closed and opened again" : "then it ends and is opened again");
  const state = life.disk.state();
  const again = new Life(life.fate, life.number + 1, random.chance(0.5) ? state : powerLoss(state, random), life.keeper.ledger, { random });
  const observed = await survive(again, story);
  if (observed.text !== text) throw new Violation("another opening shows something else", story);
  return !isClosed;
}

function refuseSecret(state: DiskState, when: string, story: readonly string[]): void {
  const path = storedSecret(state);
  if (path !== null) throw new Violation(`a byte of the erased person is stored in ${path} ${when}`, story);
}

async function tell<T>(story: readonly string[], run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new Violation(error instanceof Error ? error.message : String(error), story, error);
  }
}
