import type { EventInput } from "../../schema/event.js";

/** The member, or column, that an export has where it was asked for identity ids. */
export const IDENTITY_ID = "identityId";

/**
 * An event without the identity id that an export gave it: who is who follows from ids and records. What is no identity id
 * stays, for the engine to reject.
 */
export function withoutIdentityId(event: EventInput): EventInput {
  if (!Object.hasOwn(event, IDENTITY_ID)) return event;
  const { identityId, ...rest } = event as EventInput & { readonly identityId?: unknown };
  return typeof identityId === "string" && /^idn_[0-9a-f]{32}$/.test(identityId) ? rest : event;
}
