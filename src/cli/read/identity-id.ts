import type { EventInput } from "../../core/schema/event.js";

/** The member, or column, that `export --identity-ids` adds. */
export const IDENTITY_ID = "identityId";

/** Drops the identity id that an export added: identities follow from ids and records. An invalid one stays, for the engine to reject. */
export function withoutIdentityId(event: EventInput): EventInput {
  if (!Object.hasOwn(event, IDENTITY_ID)) return event;
  const { identityId, ...rest } = event as EventInput & { readonly identityId?: unknown };
  return typeof identityId === "string" && /^idn_[0-9a-f]{32}$/.test(identityId) ? rest : event;
}
