import { DaybookError, fixedClock, memoryStorage, openDaybook, type Daybook, type Storage } from "daybook";
import { seededRandom } from "daybook/testing";
import type { HistoryItem } from "../support/index.js";
import { expect, test } from "vitest";
import { errorOutcome, allPages, type Outcome } from "../oracle/answers.js";
import { allSessions, arrive } from "../oracle/person-case.js";
import { idOf, personHistory } from "../support/random/person-history.js";
import { randomOptions } from "../support/random/person-options.js";
import { aggregateQueries, personQueries, type PersonQuery } from "../support/random/person-queries.js";
import { anonymousIds, projects, userIds } from "../support/random/person-values.js";
import { baseSeed, caseCount } from "../oracle/settings.js";
import { eventsOf } from "../support/oracle/history.js";
import { storedText } from "../store/stored-text.js";

/** Stands in something of every event and record that bears one user id. */
const MARK = "zanzibar";

interface Person {
  readonly userIds: ReadonlySet<string>;
  readonly anonymousIds: ReadonlySet<string>;
}

const text = (id: unknown) => (id === null || id === undefined ? "" : String(id));

/** That of one user id, as others write it beside what they say of a company. */
const EMAIL = `${MARK}@x.example`;
const TOLD_BY_OTHERS = { name: "Acme", email: ` ${EMAIL.toUpperCase()}` };

/** An event or record as it would be had the person never been: null where nothing is left of it. */
function without(item: HistoryItem, { userIds: users, anonymousIds: devices }: Person): HistoryItem | null {
  if ("unlink" in item) return item;
  if ("alias" in item) {
    const { from, to } = item.alias;
    return users.has(text(from)) || devices.has(text(from)) || users.has(text(to)) ? null : item;
  }
  const told = "identify" in item ? item.identify : "group" in item ? item.group : item;
  const user = text(told.userId ?? ("user_id" in told ? told.user_id : null));
  const device = text(told.anonymousId ?? ("anonymous_id" in told ? told.anonymous_id : null));
  if (user === "" ? devices.has(device) : users.has(user)) return null;
  if ("group" in item && item.group.traits === TOLD_BY_OTHERS) return without({ group: { ...item.group, traits: { name: "Acme" } } }, { userIds: users, anonymousIds: devices });
  if (!devices.has(device)) return item;
  const rest = { ...told, anonymousId: null, ...("anonymous_id" in told ? { anonymous_id: null } : {}) };
  return ("identify" in item ? { identify: rest } : "group" in item ? { group: rest } : rest) as HistoryItem;
}

function marked(item: HistoryItem, userId: string): HistoryItem {
  if ("alias" in item || "unlink" in item) return item;
  if ("identify" in item) return item.identify.userId === userId ? { identify: { ...item.identify, traits: { [MARK]: `${MARK} by name` } } } : item;
  if ("group" in item) return userIds.includes(userId) && (item.group.traits as { name?: unknown } | null)?.name === "Acme" ? { group: { ...item.group, traits: TOLD_BY_OTHERS } } : item;
  return item.userId === userId ? { ...item, metadata: { ...item.metadata, [`${MARK}_key`]: { deep: [MARK] } }, browser: MARK } : item;
}

function timeOf(item: HistoryItem): number {
  const { createdAt } = "group" in item ? item.group : "name" in item ? item : { createdAt: null };
  return typeof createdAt === "number" ? createdAt : Infinity;
}

function refuseUnlessSuppressed(error: unknown): void {
  if (!(error instanceof DaybookError) || error.code !== "suppressed") throw error;
}

async function outcome(daybook: Daybook, { report, input }: PersonQuery): Promise<Outcome> {
  try {
    if (report === "identitySessions") return { answer: await allSessions(daybook, input, 3) };
    if (report === "searchEvents") return { answer: await allPages(daybook, input, 7) };
    return { answer: await daybook[report](input as never) };
  } catch (error) {
    return errorOutcome(error);
  }
}

/** All ids of somebody, as the bundle of an access request tells them. */
async function personOf(daybook: Daybook, userId: string): Promise<Person | null> {
  const { id } = await daybook.privacyRequests.create({ type: "access", subject: { userId } });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  for await (const line of daybook.privacyRequests.bundle(id)) {
    const ids = JSON.parse(line) as { userIds: string[]; anonymousIds: string[] };
    return { userIds: new Set(ids.userIds), anonymousIds: new Set(ids.anonymousIds) };
  }
  return null;
}

async function checkErasure(seed: number): Promise<boolean> {
  const random = seededRandom(seed);
  const { nowMs, ...options } = randomOptions(random);
  const { history: plain, isOrderFree } = personHistory(random);
  const userId = random.pick([...userIds, ...anonymousIds]);
  if (!isOrderFree) return false;
  const told: HistoryItem = { identify: { id: "told", createdAt: nowMs - 1, userId, email: EMAIL } };
  const history = [...plain.map((item) => marked(item, userId)), ...(userIds.includes(userId) ? [told] : [])];
  const storage = memoryStorage();
  const open = (at: Storage) => openDaybook({ storage: at, clock: fixedClock(nowMs), ...options });
  const daybook = await open(storage);
  // Some events and groups come late: none that is taken back, none newer than the erasure, and none of a user whose id may be an erased email.
  const mayBeLate = (item: HistoryItem) => ("name" in item || "group" in item) && timeOf(item) <= nowMs && !JSON.stringify(item).includes("@")
    && !history.some((other) => "unlink" in other && other.unlink === idOf(item));
  const late = random.chance(0.5) ? history.filter((item) => mayBeLate(item) && random.chance(0.3)) : [];
  const early = history.filter((item) => !late.includes(item));
  await arrive(daybook, early.slice(0, early.length / 2));
  if (random.chance(0.5)) await daybook.seal();
  await arrive(daybook, early.slice(early.length / 2));
  const person = await personOf(daybook, userId).catch(() => null);
  if (person === null) return false;

  const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId } });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  await daybook.privacyRequests.resolve(id, "completed");
  expect(await storedText(storage), `seed ${seed}`).not.toContain(MARK);
  for (const item of late) await arrive(daybook, [item]).catch(refuseUnlessSuppressed);
  await daybook.seal();
  expect(await storedText(storage), `seed ${seed}, late`).not.toContain(MARK);

  const pure = await open(memoryStorage());
  for (const project of projects) for (const each of [daybook, pure]) await each.createProject(project);
  const removed = new Set(history.filter((item) => without(item, person) === null).map(idOf));
  const left = history.filter((item) => !("unlink" in item && removed.has(item.unlink))).flatMap((item) => without(item, person) ?? []);
  await arrive(pure, left);
  const identityIds = [...userIds].slice(0, 2);
  const queries = [...personQueries(random, plain, identityIds), ...aggregateQueries(random, 8)];
  for (const [moment, asked] of [["at once", daybook], ["after opening again", null]] as const) {
    if (asked === null) await daybook.close();
    const some = asked ?? (await open(storage));
    for (const query of queries)
      expect(await outcome(some, query), `${moment}, seed ${seed}: ${JSON.stringify(query)}`).toEqual(await outcome(pure, query));
    // What was erased stays out, unless it lies after the erasure; what stays is there already.
    const events = eventsOf(history).filter(({ createdAt }) => new Date(createdAt ?? nowMs).getTime() <= nowMs);
    const again = await some.ingest(events);
    expect(again.accepted, `${moment}, seed ${seed}`).toBe(0);
    if (asked === null) await some.close();
  }
  return true;
}

test("After an erasure no stored byte tells of the person, every answer is that of a store that never knew them, and importing again brings nothing back.", async () => {
  let checkedCount = 0;
  for (let index = 0; index < caseCount(4, 50); index += 1) if (await checkErasure(baseSeed + index)) checkedCount += 1;
  expect(checkedCount).toBeGreaterThan(2);
}, 120_000);
