import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { BrowserContext, Page, Worker } from "playwright-core";
import { launchProfile } from "../chromium.js";

/** A tab with a dedicated worker, which has the global `lab` of worker.ts. */
export interface Tab {
  readonly page: Page;
  readonly worker: Worker;
  /** Gives the page that global too. */
  equipPage(): Promise<void>;
  /** Each line that the page or its worker says, from now on. */
  onLine(hear: (line: string) => void): void;
}

/** Starts a worker in a page of a profile. */
export async function startWorker(page: Page): Promise<Worker> {
  const started = page.waitForEvent("worker");
  await page.evaluate(() => void Object.assign(globalThis, { started: new Worker("/worker.js") }));
  return await started;
}

/** A browser that keeps what pages store, and a server of one page for it. */
export class Profile {
  private constructor(
    readonly directory: string,
    readonly url: string,
    private readonly server: Server,
    private context: BrowserContext,
  ) {}

  static async open(): Promise<Profile> {
    const directory = mkdtempSync(join(tmpdir(), "daybook-profile-"));
    const entryPoint = fileURLToPath(new URL("worker.ts", import.meta.url));
    const { outputFiles } = await build({ entryPoints: [entryPoint], bundle: true, platform: "browser", format: "iife", target: "es2022", minify: true, write: false, logLevel: "error" });
    const script = outputFiles.map(({ text }) => text).join("");
    const server = createServer(({ url }, response) => {
      const isScript = url === "/worker.js";
      response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
      response.end(isScript ? script : '<!doctype html><title>tab</title>');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return new Profile(directory, `http://127.0.0.1:${port}/`, server, await launchProfile(directory));
  }

  async tab(): Promise<Tab> {
    const page = await this.context.newPage();
    await page.goto(this.url);
    const worker = await startWorker(page);
    const onLine = (hear: (line: string) => void) => void page.on("console", (message) => hear(message.text()));
    const equipPage = async () => void (await page.addScriptTag({ url: "/worker.js" }));
    return { page, worker, equipPage, onLine };
  }

  /** Kills the processes of all tabs with SIGKILL; the browser goes on. */
  async killTabs(): Promise<void> {
    for (const { type, id } of await this.#processes()) if (type === "renderer") process.kill(id, "SIGKILL");
  }

  /** Kills the process of one tab. */
  async kill(page: Page): Promise<void> {
    const crashed = page.waitForEvent("crash");
    const session = await this.context.newCDPSession(page);
    // Nobody is there to answer.
    void session.send("Page.crash").catch(() => undefined);
    await crashed;
  }

  /** Kills all of the browser with SIGKILL, and starts another on what it kept. */
  async killBrowser(): Promise<void> {
    const closed = this.context.waitForEvent("close");
    for (const { id } of await this.#processes()) process.kill(id, "SIGKILL");
    await closed;
    this.context = await launchProfile(this.directory);
  }

  /** Ends the browser, and starts another on what it kept. */
  async restart(): Promise<void> {
    await this.context.close();
    this.context = await launchProfile(this.directory);
  }

  async #processes(): Promise<readonly { readonly type: string; readonly id: number }[]> {
    const browser = this.context.browser();
    if (browser === null) throw new Error("the browser does not say which processes it has");
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    await session.detach();
    return processInfo;
  }

  async close(): Promise<void> {
    await this.context.close();
    this.server.close();
    this.server.closeAllConnections();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
