import { uuidOfText } from "../../../src/core/base/uuid.js";
import { acceptedTimeMs, isMetadata, isWellFormed, text, type Receipt } from "./event.js";
import type { History } from "./history.js";
import { memberOf } from "./json.js";
import { byMoment, type Moment } from "./moment.js";

export interface Identify extends Moment {
  readonly kind: "identify";
  readonly userId: string;
  readonly anonymousId: string;
  /** Trimmed, in lower case. */
  readonly email: string;
  readonly traits: Readonly<Record<string, unknown>>;
}

export interface Group extends Moment {
  readonly kind: "group";
  readonly companyId: string;
  readonly userId: string;
  /** Beside a user id it stands for nobody. */
  readonly anonymousId: string;
  readonly traits: Readonly<Record<string, unknown>>;
}

export interface Alias extends Moment {
  readonly kind: "alias";
  readonly from: string;
  readonly to: string;
}

/** The records in force, each kind by time and id. An empty text is an absent one. */
export interface Records {
  readonly identifies: readonly Identify[];
  readonly groups: readonly Group[];
  readonly aliases: readonly Alias[];
}

/** Any member of any record. */
type RecordInput = Readonly<Partial<Record<"id" | "createdAt" | "userId" | "anonymousId" | "email" | "companyId" | "from" | "to", unknown>>> & {
  readonly traits?: Readonly<Record<string, unknown>> | null;
};

/** Of one id the first record is kept, broken ones are left out, and those taken back are gone for ever. */
export function liveRecords(history: History, receipt: Receipt): Records {
  const stored = new Map<string, Identify | Group | Alias>();
  const takenBack = new Set<string>();
  for (const [arrival, item] of history.entries()) {
    if ("unlink" in item) {
      if (stored.has(item.unlink)) takenBack.add(item.unlink);
      continue;
    }
    const record = storedOf(item as Record<string, RecordInput | undefined>, arrival, receipt);
    if (record !== null && !stored.has(record.id)) stored.set(record.id, record);
  }
  const live = [...stored.values()].filter(({ id }) => !takenBack.has(id)).sort(byMoment);
  return {
    identifies: live.filter((record) => record.kind === "identify"),
    groups: live.filter((record) => record.kind === "group"),
    // An id that is said to be itself says nothing at all.
    aliases: live.filter((record) => record.kind === "alias").filter(({ from, to }) => from !== to),
  };
}

/** An email as it is compared. */
export function normalEmail(email: unknown): string {
  return typeof email === "string" ? email.trim().toLowerCase() : "";
}

function storedOf(item: Record<string, RecordInput | undefined>, arrival: number, receipt: Receipt): Identify | Group | Alias | null {
  const { identify, group, alias } = item;
  const input = identify ?? group ?? alias;
  if (input === undefined) return null;
  const createdAtMs = acceptedTimeMs(input.createdAt, receipt);
  const traits = input.traits ?? {};
  if (createdAtMs === null || !isMetadata(traits) || !isWellFormed(input)) return null;
  const moment = { createdAtMs, id: uuidOfText(text(input.id) || `without id, arrived as number ${arrival}`) };
  const [userId, anonymousId] = [text(input.userId), text(input.anonymousId)];
  const [from, to, companyId] = [text(input.from), text(input.to), text(input.companyId)];
  if (alias !== undefined) return from === "" || to === "" ? null : { kind: "alias", ...moment, from, to };
  if (userId === "" && anonymousId === "") return null;
  if (identify !== undefined) {
    if (normalEmail(memberOf(memberOf(traits, "$set_once"), "email")) !== "") return null;
    const email = normalEmail(input.email) || normalEmail(traits["email"]);
    return { kind: "identify", ...moment, userId, anonymousId, email, traits };
  }
  return companyId === "" ? null : { kind: "group", ...moment, companyId, userId, anonymousId, traits };
}
