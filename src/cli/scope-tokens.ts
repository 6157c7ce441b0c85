import { pooledRandom } from "../core/base/uuid.js";
import { systemClock } from "../core/base/time.js";
import { ScopeTokens } from "../engine/tokens/scope-tokens.js";
import { fileStorage } from "../platform/node/index.js";
import { dataDirectory, directoryOf, requireDirectory } from "./organizations.js";
import { withTokensLock } from "./token-store.js";

/**
 * The signed tokens of an organization, whether or not a server has its store open: the server reads changed keys within half a second. Two processes
 * that make the first key in the same instant would keep one of the keys; tokens of the other are then invalid from the beginning.
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
