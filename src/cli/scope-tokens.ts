import { pooledRandom } from "../core/base/uuid.js";
import { systemClock } from "../core/base/time.js";
import { ScopeTokens } from "../engine/tokens/scope-tokens.js";
import { fileStorage } from "../platform/node/index.js";
import { DEFAULT_ORGANIZATION, dataDirectory } from "../platform/node/data-directory.js";
import { signingKeysIn } from "../store/files/signing-keys.js";
import { required } from "./command.js";
import { isOnClickHouse, openOnClickHouse, type LocationValues } from "./on-clickhouse.js";
import { directoryOf, organizationOf, requireDirectory } from "./organizations.js";
import { withTokensLock } from "./token-store.js";

/** The signed tokens of an organization. */
export interface OrganizationTokens extends Pick<ScopeTokens, "sign" | "rotate"> {
  readonly organization: string;
}

/** Uses the signed tokens of the organization that options name. @throws UsageError, Error if there is no such store */
export async function withScopeTokens<T>(values: LocationValues, use: (tokens: OrganizationTokens) => Promise<T>): Promise<T> {
  const { data, organization } = values;
  if (isOnClickHouse(values, { data, organization })) {
    await using daybook = await openOnClickHouse(values);
    return await use({
      organization: DEFAULT_ORGANIZATION,
      sign: (scope, options) => daybook.signScope(scope, options),
      rotate: () => daybook.rotateSigningKey(),
    });
  }
  const tokens = await scopeTokensIn(required(data, "data"), organizationOf(organization));
  return await use({ organization: organizationOf(organization), sign: (scope, options) => tokens.sign(scope, options), rotate: () => tokens.rotate() });
}

/**
 * The signed tokens of an organization, whether or not a server has its store open: the server reads changed keys within half a second. Two processes
 * that create the first key at the same moment keep one of the two keys: tokens signed with the other are never valid.
 */
async function scopeTokensIn(path: string, organization: string): Promise<ScopeTokens> {
  const data = await dataDirectory(path);
  requireDirectory(data);
  const directory = directoryOf(data, organization);
  if (!data.names.includes(organization)) throw new Error(`${path}: there is no organization ${JSON.stringify(organization)}`);
  return new ScopeTokens({ keys: signingKeysIn(fileStorage(directory)), clock: systemClock, random: pooledRandom(), change: (write) => withTokensLock(data, write) });
}
