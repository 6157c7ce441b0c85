import type { Daybook, EventInput, ExportedEvent, PrivacyRequest } from "daybook";
import { uuidText } from "../../src/core/base/uuid.js";
import { storeOf } from "../../src/engine/open-daybook.js";
import { DICTIONARY_OF_FIELD, RECORD_FIELDS } from "../../src/identity/record-table.js";
import { ERASED_STEP } from "./ledger.js";

/** What a store shows when it was opened. */
export interface Observed {
  /** Events by id, each as a text. */
  readonly events: ReadonlyMap<string, string>;
  /** Records by kind and id, each as a text. */
  readonly records: ReadonlyMap<string, string>;
  readonly projects: ReadonlySet<string>;
  /** How far the request for erasure is; 0 where there is none. */
  readonly requestStep: number;
  readonly requestCount: number;
  /** All of it, and answers to some queries: the same store gives the same text. */
  readonly text: string;
}

/** What must come back of an event. */
export function eventText({ name, userId, anonymousId, createdAt, project, url, metadata }: EventInput | ExportedEvent): string {
  const createdAtMs = typeof createdAt === "number" ? createdAt : Date.parse(String(createdAt));
  return JSON.stringify([name, userId ?? "", anonymousId ?? "", createdAtMs, project ?? "default", url ?? "", metadata ?? {}]);
}

/** How far a request is: 1 for one that was made, `ERASED_STEP` for one that is resolved; 0 without one. */
export function stepOf(request: PrivacyRequest | undefined): number {
  return request === undefined ? 0 : STEPS.indexOf(request.status) + 1;
}

const STEPS = ["pending_verification", "submitted", "acknowledged", "resolved"];

/** Reads everything. @throws where an event is there twice, or counts and events contradict each other */
export async function observe(daybook: Daybook): Promise<Observed> {
  const events = new Map<string, string>();
  for await (const event of daybook.exportEvents()) {
    if (events.has(event.id)) throw new Error(`event ${event.id} is there twice`);
    events.set(event.id, eventText(event));
  }
  const count = await daybook.countEvents();
  if (count !== events.size) throw new Error(`${count} events are counted, ${events.size} exported`);
  const records = recordsOf(daybook);
  const projects = daybook.projects();
  const requests = await daybook.privacyRequests.list();
  const requestStep = stepOf(requests[0]);
  const users = await daybook.countUniqueUsers();
  const text = JSON.stringify([[...events], [...records], projects, requests, users]);
  return { events, records, projects: new Set(projects), requestStep, requestCount: requests.length, text };
}

export function isErased({ requestStep }: Observed): boolean {
  return requestStep === ERASED_STEP;
}

const KINDS = ["", "identify", "group", "alias", "unlink"];

/** Every record that a store holds, those that were taken back too. */
function recordsOf(daybook: Daybook): Map<string, string> {
  const store = storeOf(daybook);
  if (store === null) throw new Error("expected a Daybook of this process");
  const { records, dictionaries } = store;
  const found = new Map<string, string>();
  for (let row = 0; row < records.rowCount; row += 1) {
    const key = `${KINDS[records.kinds[row] ?? 0] ?? ""} ${uuidText(records.ids, row * 16)}`;
    if (found.has(key)) throw new Error(`record ${key} is there twice`);
    const texts = RECORD_FIELDS.map((field) => dictionaries.named(DICTIONARY_OF_FIELD[field]).valueOf(records.code(row, field)));
    found.set(key, JSON.stringify([records.timeOf(row), ...texts]));
  }
  return found;
}
