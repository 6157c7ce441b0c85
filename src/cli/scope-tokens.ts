import { pooledRandom } from "../core/base/uuid.js";
import { systemClock } from "../core/base/time.js";
import { ScopeTokens } from "../engine/tokens/scope-tokens.js";
import { fileStorage } from "../platform/node/index.js";
import { dataDirectory } from "../platform/node/data-directory.js";
import { directoryOf, requireDirectory } from "./organizations.js";
import { withTokensLock } from "./token-store.js";

/**
 * The signed tokens of an organization, whether or not a server has its store open: the server reads changed keys within half a second. Two processes
 * that create the first key at the same moment keep one of the two keys: tokens signed with the other are never valid.
 * @throws UsageError, Error if there is no such store
 */
export async function scopeTokensIn(path: string, organization: string): Promise<ScopeTokens> {
  const data = await dataDirectory(path);
  requireDirectory(data);
  const directory = directoryOf(data, organization);
  if (!data.names.includes(organization)) throw new Error(`${path}: there is no organization ${JSON.stringify(organization)}`);
  const storage = fileStorage(directory);
  return new ScopeTokens({ storage, clock: systemClock, random: pooledRandom(), change: (write) => withTokensLock(data, write) });
}
