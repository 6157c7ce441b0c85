import { test } from "vitest";
import { baseSeed } from "../../oracle/settings.js";
import { askTwice } from "./organizations.js";

const pairCount = Number(process.env["DAYBOOK_ORGANIZATION_PAIRS"] ?? 200);

test("An organization is answered byte for byte the same whatever data another one in the same process has.", async () => {
  await askTwice(baseSeed, pairCount);
});
