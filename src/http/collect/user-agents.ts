import { SERVER_LIMITS } from "../../base/server-limits.js";
import type { Agent } from "../routing/route.js";

/** What a user-agent text tells, and whether it is of no person. */
export interface AgentReading {
  readonly agent: Agent;
  readonly isBot: boolean;
}

/** Loads the list of crawlers, previews and monitors: the returned function tells whether a user-agent text is of one. */
export async function loadBotTest(): Promise<(userAgent: string) => boolean> {
  const { isbot } = await import("isbot");
  return (userAgent) => isbot(userAgent);
}

/** Reads user agents of visitors, and remembers what they told until it is to be forgotten. */
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
