import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import type { Agent } from "../routing/route.js";

/** What a User-Agent text reveals, and whether it belongs to a bot. */
export interface AgentReading {
  readonly agent: Agent;
  readonly isBot: boolean;
}

/** Loads the list of crawlers, previews and monitors; the returned function reports whether a User-Agent text belongs to one. */
export async function loadBotTest(): Promise<(userAgent: string) => boolean> {
  const { isbot } = await import("isbot");
  return (userAgent) => isbot(userAgent);
}

/** Parses user agents of visitors; caches the results until `forget`. */
export class UserAgents {
  readonly #told = new Map<string, AgentReading>();

  constructor(
    readonly read: (text: string) => Agent,
    readonly isBot: (text: string) => boolean,
  ) {}

  of(text: string): AgentReading {
    const known = this.#told.get(text);
    if (known !== undefined) return known;
    const isBot = this.isBot(text);
    const told = { agent: isBot || text === "" ? {} : this.read(text), isBot };
    if (this.#told.size >= SERVER_LIMITS.knownAgentCount) this.#told.clear();
    this.#told.set(text, told);
    return told;
  }

  forget(): void {
    this.#told.clear();
  }
}
