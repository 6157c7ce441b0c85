import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import type { Daybook } from "daybook";
import { createHandler, memoryTokens, type BrowserFile, type Role, type TokenScope } from "daybook/http";
import { sha256Hex, toNodeHandler } from "daybook/node";

interface ServedToken {
  readonly token: string;
  readonly role: Role;
  readonly scopes: readonly (TokenScope | "*")[];
  readonly project?: string;
}

export const OWNER: ServedToken = { token: "sk_owner_of_the_shop_0123456789abcdefgh", role: "owner", scopes: ["*"] };
export const VIEWER: ServedToken = { token: "sk_viewer_of_the_shop_0123456789abcdefgh", role: "viewer", scopes: ["analytics:read"], project: "shop" };

/** Answers in the place of the API; false: the API shall answer. */
type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

export interface ServedPage {
  readonly url: string;
  /** From now on the API is asked only where this does not answer; the page's files come as ever. null: nothing stands in its place. */
  answerWith(answer: Answer | null): void;
  close(): Promise<void>;
}

/** Serves the page of a directory, and the API of a Daybook, as `daybook serve` does. */
export async function servePage(directory: string, daybook: Daybook): Promise<ServedPage> {
  const file = async (name: string): Promise<BrowserFile> => ({ text: await readFile(`${directory}/${name}`, "utf8"), gzip: null });
  const handler = createHandler({
    organizations: { default: daybook },
    tokens: memoryTokens([OWNER, VIEWER].map((each) => ({ ...each, organization: "default" }))),
    files: { page: { html: await file("index.html"), script: await file("page.js"), style: await file("page.css") } },
    sha256Hex,
  });
  const answer = toNodeHandler(handler);
  let instead: Answer | null = null;
  const server = createServer((incoming, outgoing) => {
    const isAnswered = incoming.url?.startsWith("/v1/") === true && instead?.(incoming, outgoing) === true;
    if (!isAnswered) answer(incoming, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    answerWith: (other) => void (instead = other),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
