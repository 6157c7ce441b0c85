import type { VerifiedScope } from "../../engine/tokens/scope-tokens.js";
import { invalidToken } from "./authenticator.js";
import { hasMember, type ServedDaybook } from "./rights.js";

/** Organizations that are opened when a request needs them: `openOrganizations` of `daybook/node`, or your own. */
export interface OrganizationsOnDemand {
  /** Whether there is such an organization. Called for each request. */
  has(name: string): Promise<boolean>;
  /** Opens an organization until it is released. @param options `onWanted` is called when another one waits for its place */
  acquire(name: string, options?: { readonly onWanted?: () => void }): Promise<AcquiredOrganization>;
  /** Those that are open now: `/healthz` reports their state. */
  opened(): readonly ServedDaybook[];
  /** Verifies a signed token with the key of the organization, without opening it. @throws invalid_token (also if there is none) */
  verifyScopeToken(name: string, token: string): Promise<VerifiedScope>;
}

/** An organization that stays open until it is released. */
export interface AcquiredOrganization {
  readonly daybook: ServedDaybook;
  /** Call it once: later calls on `daybook` may fail with `closed`. */
  readonly release: () => void;
}

/** One Daybook per organization name, or what opens them. */
export type ServedOrganizations = Readonly<Record<string, ServedDaybook>> | ReadonlyMap<string, ServedDaybook> | OrganizationsOnDemand;

export function organizationsOnDemand(organizations: ServedOrganizations): OrganizationsOnDemand {
  if (isOnDemand(organizations)) return organizations;
  return new OpenOrganizations(organizations instanceof Map ? organizations : new Map(Object.entries(organizations)));
}

/** An organization may be named `acquire`, but is no function. */
function isOnDemand(organizations: ServedOrganizations): organizations is OrganizationsOnDemand {
  return "acquire" in organizations && typeof organizations.acquire === "function";
}

/** @throws invalid_token (it is not served here), and what opening throws */
export async function acquireOrganization(organizations: OrganizationsOnDemand, name: string, onWanted?: () => void): Promise<AcquiredOrganization> {
  if (!(await organizations.has(name))) throw invalidToken();
  return await organizations.acquire(name, onWanted === undefined ? {} : { onWanted });
}

/** Runs a function with an organization, which is released once the result is settled. @throws what `acquireOrganization` and the function throw */
export async function useOrganization<T>(organizations: OrganizationsOnDemand, name: string, run: (daybook: ServedDaybook) => Promise<T>): Promise<T> {
  const { daybook, release } = await acquireOrganization(organizations, name);
  try {
    return await run(daybook);
  } finally {
    release();
  }
}

const releaseNothing = () => undefined;

/** Organizations that stay open. */
class OpenOrganizations implements OrganizationsOnDemand {
  constructor(readonly byName: ReadonlyMap<string, ServedDaybook>) {}

  has(name: string): Promise<boolean> {
    return Promise.resolve(this.byName.has(name));
  }

  acquire(name: string): Promise<AcquiredOrganization> {
    return Promise.resolve({ daybook: this.#daybook(name), release: releaseNothing });
  }

  opened(): readonly ServedDaybook[] {
    return [...this.byName.values()];
  }

  async verifyScopeToken(name: string, token: string): Promise<VerifiedScope> {
    const daybook = this.#daybook(name);
    if (!hasMember(daybook, "verifyScopeToken") || !hasMember(daybook, "scoped")) throw invalidToken();
    return await daybook.verifyScopeToken(token);
  }

  #daybook(name: string): ServedDaybook {
    const daybook = this.byName.get(name);
    if (daybook === undefined) throw invalidToken();
    return daybook;
  }
}
