import { parameterError, shown, DaybookError, type ErrorCode } from "../../core/base/errors.js";
import { rejectUnknownOptions } from "../../core/base/options.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { discardingKeeper, Visitors, type SaltKeeper, type LastSeen } from "./visitors.js";
import { eventOfBeacon, idOfBeacon, firstLanguage, UserAgents, type Place, type ServerValues } from "./beacon-event.js";
import { pooledRandom } from "../../core/base/uuid.js";
import { type Clock, isoOf, parseTimestamp, dayOf } from "../../core/base/time.js";
import { BudgetedLimit, type Withheld } from "../../engine/ingest/allowance.js";
import { ALLOWANCE, type DaybookWithAllowance, type Allowance } from "../../engine/ingest/allowed-options.js";
import type { EventInput } from "../../core/schema/event.js";
import { createdAtOf } from "../../core/schema/instant.js";
import { useOrganization, type OrganizationsOnDemand } from "../access/organizations.js";
import type { ServedDaybook } from "../access/rights.js";
import { Buckets, evictFor } from "../access/authenticator.js";
import { networkOf } from "../access/client-address.js";
import type { PublicRules, TokenRecord } from "../access/token.js";
import type { Visitor } from "../routing/route.js";
import type { UserAgentParser } from "../tracking/user-agent-parser.js";
import { faultOf, withoutPlaceholderIds } from "../tracking/call.js";
import { forEachYielding, NO_EVENTS } from "../tracking/store-entries.js";
import { checkShape } from "../shapes/check-shape.js";
import { beaconEvent, type Beacon } from "../shapes/bodies.js";
import { CollectCounts, type CollectOutcome } from "../answer/request-counts.js";
import type { HeaderNotice } from "../answer/headers.js";

/** Options for collecting page events. */
export interface CollectOptions {
  /** Storage that keeps visitor salts across restarts: `saltFile` of `daybook/node`. Default: none; a restart makes all visitors new. */
  readonly salts?: SaltKeeper;
  /** Locates an address; called for each request, and nothing is cached. Default: unknown. */
  readonly locate?: (address: string) => Place | Promise<Place>;
  /** Whether a User-Agent text belongs to a bot: `await loadBotTest()`. Default: none does. */
  readonly isBot?: (userAgent: string) => boolean;
  /** True: requests with `Sec-GPC: 1` are not stored. Default false. */
  readonly honorGpc?: boolean;
  /** Events of one key per second in the long run, and in a burst; one more is `rate_limited`. Default 20,000 and 100,000. */
  readonly perSec?: number;
  readonly burst?: number;
  /** The same for one address, or one IPv6 network of 64 bits. Default 50 and 1,000. */
  readonly perAddressPerSec?: number;
  readonly perAddressBurst?: number;
}

const RATES = ["perSec", "burst", "perAddressPerSec", "perAddressBurst"] as const;

/** All options. @param overrides replace single defaults @throws invalid_parameter, unknown_parameter */
export function collectOptions(overrides: CollectOptions = {}): Required<CollectOptions> {
  const defaults: Required<CollectOptions> = {
    salts: discardingKeeper,
    locate: () => ({}),
    isBot: () => false,
    honorGpc: false,
    perSec: SERVER_LIMITS.collectedPerSec,
    burst: SERVER_LIMITS.collectedBurst,
    perAddressPerSec: SERVER_LIMITS.collectedPerAddressPerSec,
    perAddressBurst: SERVER_LIMITS.collectedPerAddressBurst,
  };
  rejectUnknownOptions(overrides, defaults, "collect");
  for (const name of RATES) {
    const rate = overrides[name];
    if (rate !== undefined && !(typeof rate === "number" && rate > 0))
      throw parameterError("invalid_parameter", `collect.${name}`, `expected a number above 0, got ${shown(rate)}`);
  }
  return { ...defaults, ...overrides };
}

/** New values that a public key, or one network with it, has added today. */
interface Usage {
  valueCount: number;
  byteLength: number;
  keyCount: number;
}

/** Limits new values from public keys per day (UTC), so that no page and no network can fill the store. */
class Budgets {
  readonly #ofKeys = new Map<string, Usage>();
  readonly #ofAddresses = new Map<string, Usage>();
  #day = -1;

  constructor(readonly clock: Clock) {}

  /** The allowance of a request. @param network the sender's; null: unknown. @param onWithheld called for each part that exceeds the limits */
  of(key: string, network: string | null, onWithheld: (what: Withheld) => void): Allowance {
    const takesValues = (count: number, byteLength: number, areIds: boolean) => {
      const [ofKey, ofAddress] = this.#usage(key, network);
      const limits = SERVER_LIMITS;
      const share = areIds ? 1 : limits.collectedTextShare;
      if (ofKey.valueCount + count > share * limits.collectedDayValueCount) return false;
      if (ofKey.byteLength + byteLength > share * limits.collectedDayValueBytes) return false;
      if (ofAddress.valueCount + count > limits.collectedAddressDayValueCount) return false;
      if (ofAddress.byteLength + byteLength > limits.collectedAddressDayValueBytes) return false;
      for (const usage of [ofKey, ofAddress]) {
        usage.valueCount += count;
        usage.byteLength += byteLength;
      }
      return true;
    };
    const takesKey = () => {
      const [ofKey, ofAddress] = this.#usage(key, network);
      if (ofKey.keyCount >= SERVER_LIMITS.collectedDayKeyCount || ofAddress.keyCount >= SERVER_LIMITS.collectedAddressDayKeyCount) return false;
      ofKey.keyCount += 1;
      ofAddress.keyCount += 1;
      return true;
    };
    return { keyCountMax: Infinity, limit: new BudgetedLimit({ takesValues, takesKey, withheld: onWithheld }) };
  }

  clear(): void {
    this.#ofAddresses.clear();
  }

  #usage(key: string, network: string | null): readonly [Usage, Usage] {
    const day = dayOf(this.clock.now());
    if (day !== this.#day) {
      this.#day = day;
      this.#ofKeys.clear();
      this.#ofAddresses.clear();
    }
    const ofAddress = network === null ? noUsage() : usageOf(this.#ofAddresses, `${key} ${network}`, SERVER_LIMITS.collectedAddressCount);
    return [usageOf(this.#ofKeys, key, SERVER_LIMITS.countedTokenCount), ofAddress];
  }
}

function usageOf(all: Map<string, Usage>, name: string, countMax: number): Usage {
  const usage = all.get(name) ?? noUsage();
  evictFor(all, name, countMax).set(name, usage);
  return usage;
}

function noUsage(): Usage {
  return { valueCount: 0, byteLength: 0, keyCount: 0 };
}

/** A body of page events, with the public key of its project. */
export interface Collected {
  readonly key: TokenRecord;
  readonly rules: PublicRules;
  readonly events: readonly unknown[];
  /** Address of the browser; `""` if the transport provides none. */
  readonly address: string;
  readonly header: (name: string) => string | null;
  readonly receivedAtMs: number;
  /** Called with ids that are placeholder texts. */
  readonly onSentNotices: (notices: readonly HeaderNotice[]) => void;
}

interface VisitorLink {
  readonly id: string;
  readonly userId: string;
  readonly anonymousId: string;
  readonly createdAt: number | string;
}

const IDENTIFY = "$identify";
const PREFETCH = /\bprefetch\b/i;

/** Collects page events: identifies visitors, adds values that only a server has, and stores the events. */
export class Collector {
  readonly counts = new CollectCounts();
  readonly #options: Required<CollectOptions>;
  readonly #organizations: OrganizationsOnDemand;
  readonly #agents: UserAgents;
  readonly #visitors: Visitors;
  readonly #byKey: Buckets;
  readonly #byAddress: Buckets;
  readonly #budgets: Budgets;

  constructor(options: Required<CollectOptions>, parseUserAgent: UserAgentParser, organizations: OrganizationsOnDemand, clock: Clock) {
    this.#options = options;
    this.#organizations = organizations;
    this.#agents = new UserAgents(parseUserAgent.once ?? parseUserAgent, options.isBot);
    this.#byKey = new Buckets({ capacity: options.burst, perSec: options.perSec, bucketCountMax: SERVER_LIMITS.countedTokenCount }, clock);
    const perAddress = { capacity: options.perAddressBurst, perSec: options.perAddressPerSec, bucketCountMax: SERVER_LIMITS.collectedAddressCount };
    this.#byAddress = new Buckets(perAddress, clock);
    this.#budgets = new Budgets(clock);
    this.#visitors = new Visitors({
      keeper: options.salts,
      clock,
      random: pooledRandom(),
      seenSince: (sinceMs) => seenSince(organizations, sinceMs),
      onNewSalt: () => {
        this.#agents.clear();
        this.#byAddress.clear();
        this.#budgets.clear();
      },
    });
    void this.#visitors.begin();
  }

  /**
   * Stores the events of a page; resolves once they are durable. Good events are stored even if others are bad.
   * @throws rate_limited; for the first bad event, the error that `POST /v1/events` reports; what `ingest` throws
   */
  async collect(collected: Collected): Promise<void> {
    const { key, events, header } = collected;
    // Before the rate limits, because a new salt clears their counts.
    const rotation = this.#visitors.ready();
    if (rotation !== null) await rotation;
    this.#limitRate(collected);
    // Parsing a longer text takes milliseconds.
    const userAgent = (header("user-agent") ?? "").slice(0, SERVER_LIMITS.knownAgentChars);
    const { agent, isBot } = this.#agents.of(userAgent);
    const ignored = this.#ignored(isBot, header);
    if (ignored !== null) return this.counts.events.add(key.organization, ignored, events.length);
    const located = this.#options.locate(collected.address);
    const serverValues: ServerValues = {
      agent,
      place: "then" in located ? await located : located,
      language: firstLanguage(header("accept-language")),
    };
    await this.#store(collected, userAgent, serverValues);
  }

  /** Identifies and describes a visitor whose events a server sends. @param site its organization and project are those of the page's key */
  async identifyVisitor(site: TokenRecord, address: string, userAgent: string, atMs: number): Promise<Visitor> {
    const rotation = this.#visitors.ready();
    if (rotation !== null) await rotation;
    const text = userAgent.slice(0, SERVER_LIMITS.knownAgentChars);
    const { agent } = this.#agents.of(text);
    const anonymousId = this.#visitors.idOf({ site: siteOf(site), address, userAgent: text }, atMs);
    return { anonymousId, agent, place: await this.#options.locate(address) };
  }

  stop(): void {
    this.#visitors.stop();
  }

  #ignored(isBot: boolean, header: Collected["header"]): CollectOutcome | null {
    if (isBot) return "bot";
    if (PREFETCH.test(header("sec-purpose") ?? "") || PREFETCH.test(header("purpose") ?? "")) return "prefetch";
    return this.#options.honorGpc && header("sec-gpc") === "1" ? "opted_out" : null;
  }

  /** Addresses count per key: a sender that floods one site may still visit others. */
  #limitRate({ key, address, events }: Collected): void {
    const addressKey = address === "" ? null : `${key.sha256} ${networkOf(address)}`;
    const keyWaitSec = this.#byKey.waitSec(key.sha256, events.length);
    const retryAfterSec = Math.max(keyWaitSec, addressKey === null ? 0 : this.#byAddress.waitSec(addressKey, events.length));
    if (retryAfterSec > 0) {
      this.counts.events.add(key.organization, "refused", events.length);
      const source = keyWaitSec === retryAfterSec ? "public key" : "address";
      throw new DaybookError("rate_limited", `too many events from one ${source}`, { retryAfterSec });
    }
    this.#byKey.take(key.sha256, events.length);
    if (addressKey !== null) this.#byAddress.take(addressKey, events.length);
  }

  async #store(collected: Collected, userAgent: string, serverValues: ServerValues): Promise<void> {
    const { key, events } = collected;
    const project = projectOf(key);
    const faults = new Map<number, DaybookError>();
    const inputs: EventInput[] = [];
    const noIds: HeaderNotice[] = [];
    const positions: number[] = [];
    const links: { readonly position: number; readonly link: VisitorLink }[] = [];
    await forEachYielding(events, (event, position) => {
      try {
        const sent = checkedBeacon(event, `events[${position}]`, collected.rules);
        const beacon = withoutPlaceholderIds(sent, ["anonymousId", "userId"], (noId) => noIds.push(noId));
        const createdAtMs = collected.receivedAtMs - (beacon.age_ms ?? 0);
        const anonymousId = beacon.anonymousId || this.#visitors.idOf({ site: siteOf(key), address: collected.address, userAgent }, createdAtMs);
        // The user id was a placeholder, so there is nothing to link.
        if (beacon.name === IDENTIFY && !beacon.userId) return;
        const id = idOfBeacon(beacon, project, key.sha256);
        if (beacon.name === IDENTIFY) {
          links.push({ position, link: { id, userId: beacon.userId ?? "", anonymousId, createdAt: createdAtOf(createdAtMs) } });
        } else {
          inputs.push(eventOfBeacon(beacon, { id, anonymousId, createdAtMs }, serverValues));
          positions.push(position);
        }
      } catch (thrown) {
        faults.set(position, faultOf(thrown));
      }
    });
    if (noIds.length > 0) collected.onSentNotices(noIds);
    const network = collected.address === "" ? null : networkOf(collected.address);
    const allowance = this.#budgets.of(key.sha256, network, (what) => this.counts.withheld.add(key.organization, what, 1));
    const write = async (served: ServedDaybook) => {
      // A wrapped Daybook may ignore the allowance.
      const daybook = served as ServedDaybook & DaybookWithAllowance;
      const ingesting = inputs.length === 0 ? NO_EVENTS : daybook.ingest(inputs, { project, onRejected: "list", [ALLOWANCE]: allowance });
      const linking = links.map(({ link }) => daybook.identify(link, { [ALLOWANCE]: allowance }).then(() => null, faultOf));
      // Wait even if one fails, so that nothing is still being written when the answer is sent.
      if (linking.length > 0) await Promise.allSettled([ingesting, ...linking]);
      return [await ingesting, linking.length > 0 ? await Promise.all(linking) : []] as const;
    };
    const isEmpty = inputs.length + links.length === 0;
    const [ingested, linked] = isEmpty ? [NO_EVENTS, []] : await useOrganization(this.#organizations, key.organization, write);
    for (const { index, code, message } of ingested.rejected) {
      const position = positions[index] ?? 0;
      faults.set(position, new DaybookError(code as ErrorCode, `events[${position}].${message}`));
    }
    for (const [at, fault] of linked.entries()) if (fault !== null) faults.set(links[at]?.position ?? 0, fault);
    // An erased person is not the page's mistake, and the page must not learn of the erasure.
    for (const [position, { code }] of faults) if (code === "suppressed") faults.delete(position);
    this.counts.events.add(key.organization, "stored", ingested.accepted);
    this.counts.events.add(key.organization, "duplicate", ingested.duplicates);
    this.counts.events.add(key.organization, "rejected", faults.size);
    if (faults.size === 0) return;
    const [first] = [...faults].sort(([a], [b]) => a - b);
    if (first !== undefined) throw first[1];
  }
}

function checkedBeacon(event: unknown, at: string, { ids }: PublicRules): Beacon {
  checkShape(beaconEvent, event, { at });
  const beacon = event as Beacon;
  const refuse = (member: string, reason: string) => {
    throw new DaybookError("invalid_parameter", `${at}.${member}: ${reason}`, { param: `${at}.${member}`, reason });
  };
  if (beacon.anonymousId && !ids.includes("anonymous")) refuse("anonymousId", "expected none: the public key does not accept anonymous ids");
  if (beacon.userId && !ids.includes("user")) refuse("userId", "expected none: the public key does not accept user ids");
  if (beacon.name === IDENTIFY && !beacon.userId) refuse("userId", `expected the user that ${IDENTIFY} identifies, but it is missing`);
  return beacon;
}

function siteOf(key: TokenRecord): string {
  return `${key.organization}\0${projectOf(key)}`;
}

function projectOf({ project }: TokenRecord): string {
  return project ?? "default";
}

/** Yields the anonymous ids in events since a time, of all open organizations. Cost: reads these events. */
async function* seenSince(organizations: Pick<OrganizationsOnDemand, "opened">, sinceMs: number): AsyncGenerator<LastSeen> {
  for (const daybook of organizations.opened()) {
    try {
      for await (const { anonymousId, createdAt } of daybook.exportEvents({ startDate: isoOf(sinceMs) })) {
        if (anonymousId !== undefined && anonymousId !== null) yield { id: String(anonymousId), atMs: parseTimestamp(createdAt) ?? sinceMs };
      }
    } catch {
      // An unreadable organization must not keep the others from collecting; its visitors count as new.
    }
  }
}
