// A product that shows each of its customers their own usage. Sign in at /login/acme, /login/blue or /login/coral.
import { loadBrowserFiles } from "daybook/node";
import { startProduct } from "./multi-tenant/server.js";

const product = await startProduct({
  port: Number(process.env["PORT"] ?? 3000),
  statsPort: Number(process.env["STATS_PORT"] ?? 8787),
  // A clone has them in dist after `npm run build`. A program that has the package installed names no directory.
  files: await loadBrowserFiles({ directory: "dist", page: false }),
});
console.log(`open ${product.url}/login/acme (charts from ${product.statsUrl})`);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void product.close());
