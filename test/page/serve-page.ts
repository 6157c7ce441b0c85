import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createHandler, memoryTokens, type Scope, type Role } from "daybook/http";
import { sha256Hex, toNodeHandler } from "daybook/node";
import type { Daybook } from "daybook";
import { PAGE_FILES } from "../../build/page-files.js";

/** What the page is served with. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export interface ServedToken {
  readonly token: string;
  readonly role: Role;
  readonly scopes: readonly (Scope | "*")[];
  readonly project?: string;
}

export const OWNER: ServedToken = { token: "sk_owner_of_the_shop", role: "owner", scopes: ["*"] };
export const VIEWER: ServedToken = { token: "sk_viewer_of_the_shop", role: "viewer", scopes: ["analytics:read"], project: "shop" };

export interface ServedPage {
  readonly url: string;
  /** Tells readers of changes that something came. */
  readonly announce: () => void;
  /** From now on the API is answered by this, null: as ever. */
  answerWith(answer: ((incoming: IncomingMessage, outgoing: ServerResponse) => void) | null): void;
  close(): Promise<void>;
}

/** Serves the page of a directory, and the API of a Daybook behind it; what no route answers yet of tokens and changes is answered here. */
export async function servePage(directory: string, daybook: Daybook, tokens: readonly ServedToken[] = [OWNER, VIEWER]): Promise<ServedPage> {
  const handler = createHandler({
    organizations: { default: daybook },
    tokens: memoryTokens(tokens.map((each) => ({ ...each, organization: "default" }))),
    sha256Hex,
  });
  const routes = new Set(handler.front.routes.map(({ path }) => path));
  const api = toNodeHandler(handler);
  const readers = new Set<ServerResponse>();
  let sequence = 0;
  let instead: ((incoming: IncomingMessage, outgoing: ServerResponse) => void) | null = null;

  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { pathname } = new URL(incoming.url ?? "/", "http://here");
    const file = pathname === "/" ? "index.html" : pathname.slice(1);
    if (isPageFile(file)) {
      outgoing
        .setHeader("content-type", PAGE_FILES[file])
        .setHeader("content-security-policy", PAGE_POLICY)
        .setHeader("x-content-type-options", "nosniff");
      outgoing.end(await readFile(`${directory}/${file}`));
    } else if (instead !== null) instead(incoming, outgoing);
    else if (pathname === "/v1/token" && !routes.has("/v1/token")) answerToken(incoming, outgoing, tokens);
    else if (pathname.endsWith("/changes") && !routes.has("/v1/projects/{project_id}/changes")) {
      outgoing.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" }).write(": here\n\n");
      readers.add(outgoing);
      outgoing.on("close", () => readers.delete(outgoing));
    } else api(incoming, outgoing);
  };
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    announce: () => {
      sequence += 1;
      for (const reader of readers) reader.write(`id: ${sequence}\ndata: {"sequence":${sequence}}\n\n`);
    },
    answerWith: (other) => void (instead = other),
    close: async () => {
      for (const reader of readers) reader.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function isPageFile(name: string): name is keyof typeof PAGE_FILES {
  return Object.hasOwn(PAGE_FILES, name);
}

function answerToken(incoming: IncomingMessage, outgoing: ServerResponse, tokens: readonly ServedToken[]): void {
  const found = tokens.find(({ token }) => incoming.headers.authorization === `Bearer ${token}`);
  outgoing.setHeader("content-type", found === undefined ? "application/problem+json" : "application/json");
  if (found === undefined) outgoing.writeHead(401).end(JSON.stringify({ status: 401, code: "invalid_token", detail: "unknown" }));
  else outgoing.end(JSON.stringify({ organization: "default", project: found.project ?? null, role: found.role, scopes: found.scopes }));
}
