import { DaybookError } from "../../core/base/errors.js";
import type { IngestResult } from "../../core/schema/event.js";
import type { TokenRecord } from "./token.js";

/** The error for an alias sent with a token of one project: it would change identities in all projects. */
export function aliasRefused(): DaybookError {
  return new DaybookError("organization_token_required", "alias: expected an organization token, got a project token; an alias changes identities in every project");
}

/**
 * The result of a batch as a token may see it. For a token of one project, an event or record of an erased person counts as accepted:
 * the person may have been known in other projects only.
 */
export function hideSuppressed<Of extends Pick<IngestResult, "accepted" | "rejected">>(result: Of, { project }: TokenRecord): Of {
  if (project === null) return result;
  const rejected = result.rejected.filter(({ code }) => code !== "suppressed");
  return { ...result, accepted: result.accepted + result.rejected.length - rejected.length, rejected };
}
