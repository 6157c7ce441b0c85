import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pageFiles } from "../../build/page-files.js";
import { presentDataSets } from "../../examples/demo/data-sets.js";
import { load } from "../../src/cli/load.js";
import { memoryStorage, openDaybook } from "../../src/index.js";
import { launchChromium } from "../browser/chromium.js";
import { OWNER, servePage } from "./serve-page.js";

// The picture of the README, light and dark, from the access log of the demo: npm run picture
const BYTES_MAX = 200_000;
const root = fileURLToPath(new URL("../../", import.meta.url));
const directory = await mkdtemp(join(tmpdir(), "daybook-picture-"));
await pageFiles(directory);
const daybook = await openDaybook({ storage: memoryStorage() });
const log = presentDataSets(root).find(({ organization }) => organization === "access-log");
if (log === undefined) throw new Error("expected the access log in examples/data");
await load(daybook, log.rows());
const served = await servePage(directory, daybook);
const browser = await launchChromium();
try {
  for (const theme of ["light", "dark"] as const) {
    const context = await browser.newContext({ colorScheme: theme, timezoneId: "UTC", locale: "en-US", viewport: { width: 1280, height: 860 } });
    const page = await context.newPage();
    await page.goto(`${served.url}?${log.view}#token=${OWNER.token}`);
    await page.waitForSelector("main#view");
    await page.waitForSelector("[aria-busy=true]", { state: "detached" });
    await page.waitForTimeout(300);
    const path = join(root, "docs", `page-${theme}.png`);
    await page.screenshot({ path });
    const { size } = await stat(path);
    if (size > BYTES_MAX) throw new Error(`${path}: expected at most ${BYTES_MAX} bytes, got ${size}`);
    console.log(`${path}: ${size} bytes`);
    await context.close();
  }
} finally {
  await browser.close();
  await served.close();
  await daybook.close();
  await rm(directory, { recursive: true });
}
