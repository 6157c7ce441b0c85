// The one store of the process. Next.js evaluates modules again when they change, and bundles some of them twice; globalThis stays.
import { openDaybook } from "daybook";
import type { Daybook } from "daybook";
import { createHandler, memoryTokens } from "daybook/http";
import type { Handler } from "daybook/http";
import { fileStorage } from "daybook/node";

interface Analytics {
  readonly daybook: Daybook;
  readonly handler: Handler;
}

const kept = globalThis as { analytics?: Promise<Analytics> };

/** Opens the store on first use, not while the app is built. */
export function analytics(): Promise<Analytics> {
  return (kept.analytics ??= open());
}

async function open(): Promise<Analytics> {
  const daybook = await openDaybook({ storage: fileStorage(process.env["DAYBOOK_DATA"] ?? "./data/nextjs") });
  const token = process.env["DAYBOOK_TOKEN"] ?? "sk_change_me_before_you_start";
  const tokens = memoryTokens([{ token, role: "owner", scopes: ["*"] }]);
  return { daybook, handler: createHandler({ organizations: { default: daybook }, tokens }) };
}
