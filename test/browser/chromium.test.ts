import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { launchChromium } from "./chromium.js";

test("a browser starts, and keeps two origins apart", async () => {
  const browser = await launchChromium();
  const server = createServer((_, response) => void response.setHeader("content-type", "text/html").end("<title>here</title>"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${port}/`);
    expect(await page.title()).toBe("here");
    const asked = await page.evaluate(async (url) => await fetch(url).then(() => "answered", () => "refused"), `http://localhost:${port}/`);
    expect(asked).toBe("refused");
  } finally {
    await browser.close();
    server.close();
  }
});
