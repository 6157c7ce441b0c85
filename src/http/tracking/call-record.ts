import { DaybookError } from "../../base/errors.js";
import { idOfJson } from "../../base/numeric-id.js";
import type { ServedDaybook } from "../access/served-daybook.js";
import { createdAtOf } from "../../schema/moment.js";
import type { IdentifyInput, LinkResult } from "../../schema/record.js";
import type { Call, RecordKind } from "./call.js";

/** Members of a call by the names that the library has for them. */
const NAMES: Readonly<Record<string, string>> = { companyId: "groupId", from: "previousId", to: "userId", id: "messageId", createdAt: "timestamp" };

/** Stores what an identify, group or alias call tells. @throws what the library throws, in the names of the call */
export async function storeRecord(
  kind: RecordKind,
  call: Call,
  createdAtMs: number | null,
  daybook: ServedDaybook,
): Promise<LinkResult> {
  const { userId = null, anonymousId = null, traits = null, groupId = "", previousId = "" } = call;
  const about = { id: call.messageId ?? null, createdAt: createdAtMs === null ? null : createdAtOf(createdAtMs) };
  // The library refuses who has neither id.
  const person = { userId: idOfJson(userId), anonymousId: idOfJson(anonymousId), traits } as IdentifyInput;
  try {
    if (kind === "identify") return await daybook.identify({ ...about, ...person });
    if (kind === "group") return await daybook.group({ ...about, ...person, companyId: idOfJson(groupId) });
    return await daybook.alias({ ...about, from: idOfJson(previousId), to: idOfJson(userId ?? "") });
  } catch (thrown) {
    throw inCallNames(thrown);
  }
}

function inCallNames(thrown: unknown): unknown {
  const param = thrown instanceof DaybookError ? thrown.details.param : undefined;
  const name = param === undefined ? undefined : NAMES[param];
  if (!(thrown instanceof DaybookError) || name === undefined) return thrown;
  const message = thrown.message.replace(`${param}: `, `${name}: `);
  return new DaybookError(thrown.code, message, { ...thrown.details, param: name }, { cause: thrown });
}
