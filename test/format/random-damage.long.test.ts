import { test } from "vitest";
import { baseSeed, longCount } from "../oracle/settings.js";
import { expectDamageNoticed } from "./random-damage.js";

const DAMAGE_COUNT = longCount(20_000, "DAYBOOK_DAMAGES");

test(`${DAMAGE_COUNT} random damages are noticed or change no answer (seed ${baseSeed})`, async () => {
  await expectDamageNoticed(baseSeed, DAMAGE_COUNT);
});
