import { DaybookError } from "../../base/errors.js";
import type { IngestResult } from "../../schema/event.js";
import type { TokenRecord } from "./token.js";

/** The answer to an alias by a token of a project: it would change who is who in all projects. */
export function aliasRefused(): DaybookError {
  return new DaybookError("organization_token_required", "alias: expected a token of the organization, got one of a project: an alias changes who is who in every project");
}

/**
 * What became of a batch as a token may see it. To one of a project an event or record of somebody who was erased counts as accepted: the person may
 * have been known in other projects alone.
 */
export function unseenByProject<Of extends Pick<IngestResult, "accepted" | "rejected">>(result: Of, { project }: TokenRecord): Of {
  if (project === null) return result;
  const rejected = result.rejected.filter(({ code }) => code !== "suppressed");
  return { ...result, accepted: result.accepted + result.rejected.length - rejected.length, rejected };
}
