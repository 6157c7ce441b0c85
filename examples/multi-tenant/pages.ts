import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const page = (head: string, body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Your usage</title>
<style>:root { color-scheme: light dark; --daybook-accent: #6d28d9 } body { max-width: 60rem; margin: 2rem auto; display: grid; gap: 1rem }</style>
${head}
</head>
<body>${body}</body>
</html>
`;

/** The page as HTML: the elements query the server that their script is from. */
export function htmlPage(statsUrl: string): string {
  return page(
    `<script type="module" src="${statsUrl}/embed.js"></script>`,
    `
<daybook-number token-url="/analytics-token" heading="People"
  query='{"trend": {"measure": {"type": "unique_users"}, "lastDays": 30}}'></daybook-number>
<daybook-chart token-url="/analytics-token" heading="Page views per day"
  query='{"trend": {"eventName": "page_view", "interval": "day", "lastDays": 30}}'></daybook-chart>
<daybook-list token-url="/analytics-token" heading="Pages"
  query='{"trend": {"eventName": "page_view", "lastDays": 30, "breakdown": {"fields": ["path"], "limit": 8}}}'></daybook-list>
<daybook-list token-url="/analytics-token" heading="Reports opened"
  query='{"trend": {"eventName": "report_opened", "lastDays": 30, "breakdown": {"fields": ["metadata.report"], "limit": 8}}}'></daybook-list>
<daybook-funnel token-url="/analytics-token" heading="From visit to shared report"
  query='{"funnel": {"lastDays": 30,
    "steps": [{"eventName": "page_view"}, {"eventName": "report_opened"}, {"eventName": "report_shared"}]}}'></daybook-funnel>
`,
  );
}

/** The same by React. Its components import `daybook/embed`, which here is the script of the Daybook server. */
export function reactPage(statsUrl: string): string {
  const imports = JSON.stringify({ imports: { "daybook/embed": `${statsUrl}/embed.js` } });
  const head = `<script type="importmap">${imports}</script>\n<script type="module" src="/react-page.js"></script>`;
  return page(head, '<div id="root"></div>');
}

/** Bundles the program of the React page; in place of it, a product has its own bundler. */
export async function reactProgram(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("react-page.jsx", import.meta.url))],
    bundle: true, write: false, format: "esm", platform: "browser", target: "es2022",
    jsx: "automatic", external: ["daybook/embed"], define: { "process.env.NODE_ENV": '"production"' },
  });
  return outputFiles.map(({ text }) => text).join("");
}
