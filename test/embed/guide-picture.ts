import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { embedScript } from "../../build/embed-script.js";
import { launchChromium } from "../browser/chromium.js";
import { openShop } from "../page/shop.js";
import { BOARD } from "./bodies.js";
import { EmbeddingSite } from "./embedding-site.js";

// The picture of the guide on charts in one's own pages, light and dark, of a shop with random visitors: npm run picture
const BYTES_MAX = 200_000;
const root = fileURLToPath(new URL("../../", import.meta.url));
const directory = await mkdtemp(join(tmpdir(), "daybook-picture-"));
await embedScript(join(root, "src"), directory);
const daybook = await openShop(Date.now());
const site = await EmbeddingSite.of(daybook, directory);
const browser = await launchChromium();
site.head = "<style>:root { color-scheme: light dark; --daybook-accent: #7c5cff } h1 { display: none }</style>";
site.body = BOARD.replace(',"lowerIsBetter":true', "");
try {
  for (const theme of ["light", "dark"] as const) {
    const page = await browser.newPage({ colorScheme: theme, timezoneId: "Europe/Berlin", locale: "en-GB", viewport: { width: 1100, height: 800 } });
    await page.goto(`${site.url}/page`);
    await page.locator("daybook-retention table").waitFor();
    // Charts are drawn one after another.
    await page.waitForTimeout(1_000);
    const path = join(root, "docs", `embed-${theme}.png`);
    await page.screenshot({ path, fullPage: true });
    const { size } = await stat(path);
    if (size > BYTES_MAX) throw new Error(`${path}: expected at most ${BYTES_MAX} bytes, got ${size}`);
    console.log(`${path}: ${size} bytes`);
    await page.close();
  }
} finally {
  await browser.close();
  await site.close();
  await daybook.close();
  await rm(directory, { recursive: true });
}
