import { test } from "vitest";
import { baseSeed } from "../oracle/settings.js";
import { expectDamageNoticed } from "./random-damage.js";

const DAMAGE_COUNT = Number(process.env["DAYBOOK_DAMAGES"] ?? 20_000);

test(`${DAMAGE_COUNT} random damages are noticed or change no answer (seed ${baseSeed})`, async () => {
  await expectDamageNoticed(baseSeed, DAMAGE_COUNT);
});
