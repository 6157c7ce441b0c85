import type { HeaderNotice } from "../answer/notice-header.js";
import { objectOf } from "./members.js";
import type { ReceivedItem } from "./store-entries.js";

/** What programs send for an id that they do not have, trimmed and in lower case: taken as ids, these would join people who never met. */
const NOBODY: ReadonlySet<string> = new Set(["", "undefined", "null", "nan", "[object object]", "none", "nil", "anonymous", "guest", "0"]);

/** Whether an id is such a text. An absent one and `""` are not. */
export function isNobody(id: unknown): boolean {
  return (typeof id === "number" || (typeof id === "string" && id !== "")) && NOBODY.has(String(id).trim().toLowerCase());
}

/** Who tells of a company where nobody is meant. */
export function companyTeller(companyId: string): string {
  return `$company_${companyId}`;
}

/** The same without ids that are nobody's. @param onNoId is called for each of them */
export function withoutNobody<Of extends object>(of: Of, names: readonly (keyof Of & string)[], onNoId: (noId: HeaderNotice) => void): Of {
  const gone = names.filter((name) => isNobody(of[name]));
  for (const name of gone) onNoId({ code: "no_id", param: name, name: String(of[name]) });
  return gone.length === 0 ? of : { ...of, ...Object.fromEntries(gone.map((name) => [name, null])) };
}

/** The same of what was sent; null for a record that is then about nobody. */
export function toldOfSomebody<Each extends ReceivedItem>(told: Each, onNoId: (noId: HeaderNotice) => void): Each | null {
  if ("event" in told) return { ...told, event: withoutNobody(told.event, ["userId", "anonymousId", "companyId"], onNoId) };
  const call = withoutNobody(told.call, ["userId", "anonymousId", "groupId", "previousId"], onNoId);
  // What lacks an id that was never sent is refused where it is stored.
  if (call === told.call) return told;
  const hasSomebody = Boolean(call.userId) || (told.record !== "alias" && Boolean(call.anonymousId));
  const hasOther = told.record === "identify" || Boolean(told.record === "group" ? call.groupId : call.previousId);
  if (!hasOther) return null;
  if (hasSomebody) return { ...told, call };
  // What nobody tells of a company is still about the company.
  return told.record === "group" && Object.keys(objectOf(call.traits)).length > 0 ? { ...told, call: { ...call, anonymousId: companyTeller(String(call.groupId)) } } : null;
}
