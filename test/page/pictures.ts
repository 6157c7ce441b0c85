import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pageFiles } from "../../build/page-files.js";
import { launchChromium } from "../browser/chromium.js";
import { OWNER, servePage } from "./serve-page.js";
import { openShop } from "./shop.js";
import { PICTURES } from "./picture-addresses.js";

// Pictures of every view in both widths and colors: npm run pictures [-- NAME …]
const output = fileURLToPath(new URL("../../pictures/", import.meta.url));
const wanted = process.argv.slice(2);
const [widths, themes] = [process.env["WIDTHS"]?.split(",").map(Number) ?? [1280, 390], process.env["THEMES"]?.split(",") ?? ["light", "dark"]];

await mkdir(output, { recursive: true });
const directory = await mkdtemp(join(tmpdir(), "daybook-page-"));
await pageFiles(directory);
const daybook = await openShop(Date.now());
const served = await servePage(directory, daybook);
const browser = await launchChromium();
try {
  for (const theme of themes) {
    const context = await browser.newContext({ colorScheme: theme === "dark" ? "dark" : "light", timezoneId: "Europe/Berlin", locale: "en-GB" });
    const page = await context.newPage();
    page.on("console", (message) => console.log(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => console.log(error.stack));
    await page.goto(`${served.url}#token=${OWNER.token}`);
    await page.waitForSelector("nav a");
    for (const width of widths) {
      await page.setViewportSize({ width, height: width < 600 ? 844 : 800 });
      for (const [name, { address, act }] of Object.entries(PICTURES)) {
        if (wanted.length > 0 && !wanted.includes(name)) continue;
        await page.goto(`${served.url}?${address}`);
        await page.waitForSelector("main#view");
        await page.waitForSelector("[aria-busy=true]", { state: "detached", timeout: 8_000 }).catch(() => console.log(`${name}: still busy`));
        await act?.(page);
        await page.waitForTimeout(150);
        await page.screenshot({ path: `${output}${name}-${width}-${theme}.png`, fullPage: true });
      }
    }
    await context.close();
  }
} finally {
  await browser.close();
  await served.close();
  await daybook.close();
  await rm(directory, { recursive: true });
}
