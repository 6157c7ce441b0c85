import { z } from "zod";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";

const text = z.string().nullish();

/** One event that a page sends. The texts are checked when the event is stored. */
export const beaconEvent = z.strictObject({
  name: text.meta({ description: "Absent: `pageview`. `$identify` with a `userId` ties it to the visitor, and is no event." }),
  url: text,
  referrer: text,
  title: text,
  screen: text.meta({ description: "Such as `1280x800`." }),
  language: text.meta({ description: "Absent: the first of the header Accept-Language." }),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  id: text.meta({ description: "The same id again is stored once." }),
  age_ms: z
    .number()
    .min(0, `expected a number from 0 to ${SERVER_LIMITS.beaconAgeMs}`)
    .max(SERVER_LIMITS.beaconAgeMs, `expected a number from 0 to ${SERVER_LIMITS.beaconAgeMs}`)
    .nullish()
    .meta({ description: "How long ago it was, for what had to wait." }),
  value: z.number().nullish(),
  currency: text,
  anonymousId: text.meta({ description: "Where the key takes such ids; absent: visitors are told apart without." }),
  userId: text.meta({ description: "Where the key takes such ids." }),
});

export type Beacon = z.infer<typeof beaconEvent>;

/** Body of `POST /v1/collect`. Each event is checked on its own. */
export const collectBody = z.strictObject({
  key: z.string().meta({ description: "A public key, which starts with pk_." }),
  events: z.array(z.unknown().meta({ $ref: "#/components/schemas/Beacon" })).min(1, "expected at least one event"),
});
