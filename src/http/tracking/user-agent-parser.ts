import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import type { Agent } from "../routing/route.js";

/** Parses device, os and browser from a User-Agent text. */
export interface UserAgentParser {
  (text: string): Agent;
  /** The same without a cache, because texts of visitors must not outlive their salt. Default: the function itself. */
  readonly once?: (text: string) => Agent;
}

/**
 * Loads the parser of user agents, for `parseUserAgent` of `createHandler`.
 * The returned function parses device, os and browser from a text, and caches the result: a cached text costs one lookup.
 */
export async function loadUserAgentParser(): Promise<UserAgentParser> {
  // Loaded on demand: most programs never parse a user agent.
  const { default: bowser } = await import("bowser");
  const cache = new Map<string, Agent>();
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
    const cached = cache.get(text);
    if (cached !== undefined) return cached;
    const agent = parse(text);
    if (text.length > SERVER_LIMITS.knownAgentChars) return agent;
    if (cache.size >= SERVER_LIMITS.knownAgentCount) cache.clear();
    cache.set(text, agent);
    return agent;
  };
  return Object.assign(read, { once: parse });
}
