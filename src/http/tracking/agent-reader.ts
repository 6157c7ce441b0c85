import { LIMITS } from "../../base/limits.js";
import type { Agent } from "../routing/route.js";

/**
 * Loads the parser of user agents, for `readAgent` of `createHandler`. The returned function tells device, os and browser of a text.
 * It remembers what it told: a text that it met before costs one look-up.
 */
export async function loadAgentReader(): Promise<(text: string) => Agent> {
  // Most programs never read a user agent.
  const { default: bowser } = await import("bowser");
  const known = new Map<string, Agent>();
  return (text) => {
    if (text === "") return {};
    const seen = known.get(text);
    if (seen !== undefined) return seen;
    const { platform, os, browser } = bowser.parse(text);
    const agent: Agent = {
      ...(platform.type ? { device: platform.type } : {}),
      ...(os.name ? { os: os.name } : {}),
      ...(browser.name ? { browser: browser.name } : {}),
    };
    if (text.length > LIMITS.knownAgentChars) return agent;
    if (known.size >= LIMITS.knownAgentCount) known.clear();
    known.set(text, agent);
    return agent;
  };
}
