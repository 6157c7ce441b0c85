import { SERVER_LIMITS } from "../../base/server-limits.js";
import type { Agent } from "../routing/route.js";

/** Tells device, os and browser of a user-agent text. */
export interface AgentReader {
  (text: string): Agent;
  /** The same without remembering the text: those of visitors are kept no longer than their salt. Default: the function itself. */
  readonly once?: (text: string) => Agent;
}

/**
 * Loads the parser of user agents, for `readAgent` of `createHandler`. The returned function tells device, os and browser of a text.
 * It remembers what it told: a text that it met before costs one look-up.
 */
export async function loadAgentReader(): Promise<AgentReader> {
  // Most programs never read a user agent.
  const { default: bowser } = await import("bowser");
  const known = new Map<string, Agent>();
  const parse = (text: string): Agent => {
    const { platform, os, browser } = bowser.parse(text);
    return {
      ...(platform.type ? { device: platform.type } : {}),
      ...(os.name ? { os: os.name } : {}),
      ...(browser.name ? { browser: browser.name } : {}),
    };
  };
  const read = (text: string): Agent => {
    if (text === "") return {};
    const seen = known.get(text);
    if (seen !== undefined) return seen;
    const agent = parse(text);
    if (text.length > SERVER_LIMITS.knownAgentChars) return agent;
    if (known.size >= SERVER_LIMITS.knownAgentCount) known.clear();
    known.set(text, agent);
    return agent;
  };
  return Object.assign(read, { once: parse });
}
