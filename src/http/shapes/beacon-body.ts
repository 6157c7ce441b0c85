import { z } from "zod";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";

const text = z.string().nullish();

/** One event that a page sends. The texts are checked when the event is stored. */
export const beaconEvent = z.strictObject({
  name: text.meta({ description: "Default: `pageview`. `$identify` links its `userId` to the visitor and is not stored as an event." }),
  url: text,
  referrer: text,
  title: text,
  screen: text.meta({ description: "For example `1280x800`." }),
  language: text.meta({ description: "Default: the first language of the Accept-Language header." }),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  id: text.meta({ description: "An event that is sent again with the same id is stored once." }),
  age_ms: z
    .number()
    .min(0, `expected a number from 0 to ${SERVER_LIMITS.beaconAgeMs}`)
    .max(SERVER_LIMITS.beaconAgeMs, `expected a number from 0 to ${SERVER_LIMITS.beaconAgeMs}`)
    .nullish()
    .meta({ description: "How long ago the event happened, if it could not be sent at once." }),
  value: z.number().nullish(),
  currency: text,
  anonymousId: text.meta({ description: "Only if the key accepts anonymous ids. If absent, visitors are told apart by address and user agent." }),
  userId: text.meta({ description: "Only if the key accepts user ids." }),
});

export type Beacon = z.infer<typeof beaconEvent>;

/** Body of `POST /v1/collect`. Each event is checked on its own. */
export const collectBody = z.strictObject({
  key: z.string().meta({ description: "A public key, which starts with pk_." }),
  events: z.array(z.unknown().meta({ $ref: "#/components/schemas/Beacon" })).min(1, "expected at least one event"),
});
