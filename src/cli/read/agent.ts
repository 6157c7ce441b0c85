/** What a user-agent text tells about its sender; absent where it tells nothing. */
export interface Agent {
  readonly device?: string;
  readonly os?: string;
  readonly browser?: string;
}

/** Distinct agents remembered: logs repeat few of them, and a hostile log must not fill the memory. */
const AGENTS_MAX = 50_000;

/** Loads the parser of user agents. The returned function remembers its answer per distinct text. */
export async function loadAgents(): Promise<(text: string) => Agent> {
  const { default: bowser } = await import("bowser");
  const known = new Map<string, Agent>();
  return (text) => {
    const seen = known.get(text);
    if (seen !== undefined) return seen;
    const { platform, os, browser } = bowser.parse(text);
    const agent: Agent = {
      ...(platform.type ? { device: platform.type } : {}),
      ...(os.name ? { os: os.name } : {}),
      ...(browser.name ? { browser: browser.name } : {}),
    };
    if (known.size >= AGENTS_MAX) known.clear();
    known.set(text, agent);
    return agent;
  };
}
