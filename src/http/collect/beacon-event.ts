import { uuidOfPublic } from "../../core/base/uuid.js";
import type { EventInput } from "../../core/schema/event.js";
import { createdAtOf } from "../../core/schema/instant.js";
import { splitAddress } from "../../core/schema/web-address.js";
import type { Agent } from "../routing/route.js";
import type { Beacon } from "../shapes/bodies.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";

/** Location of an address; unknown members are absent. */
export interface Place {
  /** Two letters (ISO 3166-1). */
  readonly country?: string;
  readonly region?: string;
  readonly city?: string;
}

/** Values that the server adds to the events of a request. */
export interface ServerValues {
  readonly agent: Agent;
  readonly place: Place;
  /** The first language of the Accept-Language header; null: none. */
  readonly language: string | null;
}

export interface BeaconContext {
  /** From `idOfBeacon`. */
  readonly id: string;
  readonly anonymousId: string;
  readonly createdAtMs: number;
}

const ANY_LANGUAGE = "*";

export function eventOfBeacon(beacon: Beacon, { id, anonymousId, createdAtMs }: BeaconContext, { agent, place, language }: ServerValues): EventInput {
  const { url, title, metadata } = beacon;
  const address = url ? splitAddress(url) : undefined;
  return {
    id,
    name: beacon.name ?? "pageview",
    userId: beacon.userId ?? null,
    anonymousId,
    createdAt: createdAtOf(createdAtMs),
    metadata: title ? { title, ...metadata } : (metadata ?? {}),
    url: address?.url ?? null,
    hostname: address?.hostname ?? null,
    referrer: beacon.referrer ?? null,
    language: beacon.language ?? language,
    screen: beacon.screen ?? null,
    value: beacon.value ?? null,
    currency: beacon.currency ?? null,
    device: agent.device ?? null,
    os: agent.os ?? null,
    browser: agent.browser ?? null,
    locationCountry: place.country ?? null,
    locationRegion: place.region ?? null,
    locationCity: place.city ?? null,
  };
}

/** The stored id of a page's event, derived from project, key and the page's id; random if the page sent none. */
export function idOfBeacon({ id }: Beacon, project: string, keySha256: string): string {
  return uuidOfPublic(project, id || globalThis.crypto.randomUUID(), keySha256);
}

/** The first language of an Accept-Language header; null: none. */
export function firstLanguage(header: string | null): string | null {
  const first = header?.split(",", 1)[0]?.split(";", 1)[0]?.trim() ?? "";
  return first === "" || first === ANY_LANGUAGE ? null : first;
}

/** What a User-Agent text reveals, and whether it belongs to a bot. */
export interface AgentReading {
  readonly agent: Agent;
  readonly isBot: boolean;
}

/** Loads the list of crawlers, previews and monitors; the returned function reports whether a User-Agent text belongs to one. */
export async function loadBotTest(): Promise<(userAgent: string) => boolean> {
  const { isbot } = await import("isbot");
  return (userAgent) => isbot(userAgent);
}

/** Parses user agents of visitors, and caches the results until `clear`. */
export class UserAgents {
  readonly #cache = new Map<string, AgentReading>();

  constructor(
    readonly read: (text: string) => Agent,
    readonly isBot: (text: string) => boolean,
  ) {}

  of(text: string): AgentReading {
    const cached = this.#cache.get(text);
    if (cached !== undefined) return cached;
    const isBot = this.isBot(text);
    const reading = { agent: isBot || text === "" ? {} : this.read(text), isBot };
    if (this.#cache.size >= SERVER_LIMITS.knownAgentCount) this.#cache.clear();
    this.#cache.set(text, reading);
    return reading;
  }

  clear(): void {
    this.#cache.clear();
  }
}
