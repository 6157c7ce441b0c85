import type { HeaderNotice } from "../answer/notice-header.js";
import { objectOf } from "./members.js";
import type { ReceivedItem } from "./store-entries.js";

/** Placeholders that programs send for a missing id, trimmed and in lower case: as ids they would merge unrelated people. */
const NOBODY: ReadonlySet<string> = new Set(["", "undefined", "null", "nan", "[object object]", "none", "nil", "anonymous", "guest", "0"]);

/** Whether an id is a placeholder. An absent one and `""` are not. */
export function isPlaceholderId(id: unknown): boolean {
  return (typeof id === "number" || (typeof id === "string" && id !== "")) && NOBODY.has(String(id).trim().toLowerCase());
}

/** Anonymous id under which the traits of a company are stored if no person is meant. */
export function companyProxyId(companyId: string): string {
  return `$company_${companyId}`;
}

/** Replaces placeholder ids by null. @param onNoId called for each of them */
export function withoutPlaceholderIds<Of extends object>(of: Of, names: readonly (keyof Of & string)[], onNoId: (noId: HeaderNotice) => void): Of {
  const gone = names.filter((name) => isPlaceholderId(of[name]));
  for (const name of gone) onNoId({ code: "no_id", param: name, name: String(of[name]) });
  return gone.length === 0 ? of : { ...of, ...Object.fromEntries(gone.map((name) => [name, null])) };
}

/** The same for a received item; null for a record that is then about no one. */
export function withUsableIds<Each extends ReceivedItem>(told: Each, onNoId: (noId: HeaderNotice) => void): Each | null {
  if ("event" in told) return { ...told, event: withoutPlaceholderIds(told.event, ["userId", "anonymousId", "companyId"], onNoId) };
  const call = withoutPlaceholderIds(told.call, ["userId", "anonymousId", "groupId", "previousId"], onNoId);
  // A record that lacks an id from the start is refused when it is stored.
  if (call === told.call) return told;
  const hasSomebody = Boolean(call.userId) || (told.record !== "alias" && Boolean(call.anonymousId));
  const hasOther = told.record === "identify" || Boolean(told.record === "group" ? call.groupId : call.previousId);
  if (!hasOther) return null;
  if (hasSomebody) return { ...told, call };
  // Traits of a company are stored even without a person.
  return told.record === "group" && Object.keys(objectOf(call.traits)).length > 0 ? { ...told, call: { ...call, anonymousId: companyProxyId(String(call.groupId)) } } : null;
}
