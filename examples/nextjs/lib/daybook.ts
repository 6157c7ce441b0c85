// The only store of the process. Next.js reevaluates changed modules, and bundles some of them twice, so keep the store in globalThis.
import { openDaybook } from "daybook";
import type { Daybook } from "daybook";
import { createHandler, memoryTokens } from "daybook/http";
import type { Handler } from "daybook/http";
import { fileStorage } from "daybook/node";

interface Analytics {
  readonly daybook: Daybook;
  readonly handler: Handler;
}

const shared = globalThis as { analytics?: Promise<Analytics> };

/** Opens the store on first use, so that building the app does not open it. */
export function analytics(): Promise<Analytics> {
  return (shared.analytics ??= open());
}

async function open(): Promise<Analytics> {
  const daybook = await openDaybook({ storage: fileStorage(process.env["DAYBOOK_DATA"] ?? "./data/nextjs") });
  const token = process.env["DAYBOOK_TOKEN"] ?? "sk_change_me_before_you_start";
  const tokens = memoryTokens([{ token, role: "owner", scopes: ["*"] }]);
  return { daybook, handler: createHandler({ organizations: { default: daybook }, tokens }) };
}
