import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Bundles the page and its worker, and serves them on the loopback address: browsers offer file storage only to https and localhost. */
export async function servePage(port: number): Promise<{ readonly url: string; close(): void }> {
  const entryPoints = [file("page.ts"), file("worker.ts")];
  const { outputFiles } = await build({ entryPoints, outdir: "/", bundle: true, splitting: true, format: "esm", platform: "browser", target: "es2022", write: false });
  const files = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const html = await readFile(file("index.html"));
  const server = createServer(({ url = "/" }, response) => {
    const script = files.get(url.slice(1));
    const isPage = url === "/";
    response.writeHead(isPage || script !== undefined ? 200 : 404, { "content-type": script === undefined ? "text/html" : "text/javascript" });
    response.end(isPage ? html : script);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => void server.close() };
}
