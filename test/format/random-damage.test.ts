import { expect, test } from "vitest";
import { baseSeed } from "../oracle/settings.js";
import { expectDamageNoticed } from "./random-damage.js";

test(`Flips, cuts, swaps, zeroed sectors, appended bytes and missing files are noticed or change no answer (seed ${baseSeed})`, async () => {
  const noticed = await expectDamageNoticed(baseSeed, 160);
  for (const name of ["flip", "cut", "append", "missing", "zeroedSector", "swap"]) expect(noticed[name], name).toBeGreaterThan(5);
});
