import type { OracleEvent } from "./event.js";
import type { Identities, Identity } from "./identities.js";
import { byMoment, type Moment } from "./moment.js";
import type { Group } from "./record.js";
import { remembered } from "./remembered.js";
import { newestText } from "./traits.js";

interface Association extends Moment {
  readonly identity: Identity | null;
  readonly companyId: string;
}

/** To which company events belong, and how companies are called. */
export interface Companies {
  /** The company behind an event, `""` for none: its own, else the one its identity was last seen with before it, else the first. */
  of(event: OracleEvent): string;
  /** The company that an identity was last seen with, `""` for none. */
  lastOf(identity: Identity): string;
  /** Whether an event or a record names a company. */
  has(companyId: string): boolean;
  nameOf(companyId: string): string;
  domainOf(companyId: string): string | null;
}

/** Resolves companies from all events and the group records in force. */
export function companiesOf(events: readonly OracleEvent[], groups: readonly Group[], identities: Identities): Companies {
  const associations: Association[] = [...events, ...groups]
    .map((item) => ({ id: item.id, createdAtMs: item.createdAtMs, project: projectOf(item), companyId: item.companyId, identity: identities.of(item) }))
    .filter(({ companyId }) => companyId !== "")
    .sort(byMoment);
  const newestTrait = (companyId: string, trait: string) => newestText(groups.filter((group) => group.companyId === companyId), trait);
  return {
    of: remembered((event) => {
      const identity = identities.of(event);
      if (event.companyId !== "") return event.companyId;
      if (identity === null) return "";
      const own = associations.filter((association) => association.identity === identity);
      const before = own.filter((association) => byMoment(association, event) < 0);
      return (before.at(-1) ?? own.at(0))?.companyId ?? "";
    }),
    lastOf: (identity) => associations.filter((association) => association.identity === identity).at(-1)?.companyId ?? "",
    has: (companyId) => associations.some((association) => association.companyId === companyId),
    nameOf: (companyId) => newestTrait(companyId, "name") ?? companyId,
    domainOf: (companyId) => newestTrait(companyId, "domain") ?? (isHostName(companyId) ? companyId : null),
  };
}

/** Records are of no project. */
function projectOf(item: OracleEvent | Group): string {
  return "project" in item ? item.project : "";
}

function isHostName(text: string): boolean {
  return /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i.test(text);
}
