import { withIdsOfJson } from "../../base/numeric-id.js";
import type { Daybook } from "../../engine/daybook.js";
import type { RecordInput } from "../../schema/record.js";
import { unseenByProject } from "../access/of-project.js";
import type { Caller } from "../routing/route.js";

type Stored = Awaited<ReturnType<Daybook["ingestRecords"]>>;

/** What one project may not say for all: that ids are one person's, that what others told is taken back, or that there are other projects. */
const OF_THE_ORGANIZATION: readonly unknown[] = ["alias", "unlink", "project"];

/**
 * Stores records, of a project's token only those that it may send: the others come back in `rejected`. Ids of records are the organization's, so
 * such a token learns of none whether it was there: what is known already counts as accepted.
 * @throws what ingestRecords throws
 */
export async function storeRecords(records: readonly unknown[], { daybook, project, token }: Caller): Promise<Stored> {
  // Each record is checked where it is stored; a bad one comes back in `rejected`.
  const inputs = (records as readonly RecordInput[]).map(withIdsOfJson);
  if (project === null) return await daybook.ingestRecords(inputs);
  const isRefused = inputs.map(isOfTheOrganization);
  const places = [...inputs.keys()].filter((index) => !isRefused[index]);
  const stored = await daybook.ingestRecords(inputs.filter((_, index) => !isRefused[index]));
  const { accepted, duplicates, rejected, adjusted } = unseenByProject(stored, token);
  const refused = [...inputs.keys()].filter((index) => isRefused[index]).map((index) => ({ index, ...REFUSED }));
  const placed = <Of extends { readonly index: number }>(all: readonly Of[]) => all.map((each) => ({ ...each, index: places[each.index] ?? 0 }));
  return { accepted: accepted + duplicates, duplicates: 0, rejected: [...refused, ...placed(rejected)].sort((a, b) => a.index - b.index), adjusted: placed(adjusted) };
}

const REFUSED = { code: "organization_token_required", message: "type: an alias, an unlink or a project takes a token of the organization, this one is of a project" } as const;

function isOfTheOrganization(record: unknown): boolean {
  return typeof record === "object" && record !== null && OF_THE_ORGANIZATION.includes((record as { type?: unknown }).type);
}
