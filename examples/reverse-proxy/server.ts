// A server behind a reverse proxy on the same machine, which strips the prefix and sets the client address: see nginx.conf.
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { openDaybook } from "daybook";
import { createHandler, memoryTokens } from "daybook/http";
import { fileStorage, toNodeHandler } from "daybook/node";

const daybook = await openDaybook({ storage: fileStorage(process.argv[2] ?? "./data/reverse-proxy") });
const handler = createHandler({
  organizations: { default: daybook },
  tokens: memoryTokens([{ token: process.env["DAYBOOK_TOKEN"] ?? "sk_change_me_before_you_start", role: "owner", scopes: ["*"] }]),
});

/** The header is trusted: only the proxy can reach the loopback address, and it overwrites the header. */
const address = ({ headers, socket }: IncomingMessage) => String(headers["x-real-ip"] ?? socket.remoteAddress);

const server = createServer(toNodeHandler(handler, { address }));
server.listen(Number(process.env["PORT"] ?? 8787), "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close(() => void daybook.close()));
