import { uuidOfPublic } from "../../base/uuid.js";
import type { EventInput } from "../../schema/event.js";
import { createdAtOf } from "../../schema/moment.js";
import { splitAddress } from "../../schema/web-address.js";
import type { Agent } from "../routing/route.js";
import type { Beacon } from "../shapes/beacon-body.js";

/** Where an address is; absent where nobody knows. */
export interface Place {
  /** Two letters (ISO 3166-1). */
  readonly country?: string;
  readonly region?: string;
  readonly city?: string;
}

/** What the server adds to the events of a request. */
export interface Surroundings {
  readonly agent: Agent;
  readonly place: Place;
  /** Of the browser's header; null: it names none. */
  readonly language: string | null;
}

/** Who an event is of, when and where it was. */
export interface BeaconContext {
  /** By `idOfBeacon`. */
  readonly id: string;
  readonly anonymousId: string;
  readonly createdAtMs: number;
}

const ANY_LANGUAGE = "*";

/** The event that a page told of. */
export function eventOfBeacon(beacon: Beacon, { id, anonymousId, createdAtMs }: BeaconContext, { agent, place, language }: Surroundings): EventInput {
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

/** The id under which a project knows what a page sent, which tells by which key: a new one where the page gave none. */
export function idOfBeacon({ id }: Beacon, project: string, keySha256: string): string {
  return uuidOfPublic(project, id || globalThis.crypto.randomUUID(), keySha256);
}

/** The first language of an Accept-Language header; null: it names none. */
export function firstLanguage(header: string | null): string | null {
  const first = header?.split(",", 1)[0]?.split(";", 1)[0]?.trim() ?? "";
  return first === "" || first === ANY_LANGUAGE ? null : first;
}
