import { useEffect, useState } from "preact/hooks";
import type { Client } from "../ask/client.js";
import { followChanges } from "../ask/changes.js";

/** Changes that come at once are one. */
const GATHER_MS = 1_000;
/** Who is online changes although nothing comes. */
const IDLE_MS = 60_000;

/** A number that goes up when something was stored in the project, or a minute has passed, while the page is seen. */
export function useChanges(client: Client, project: string): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    if (project === "") return;
    const abort = new AbortController();
    let gathering: ReturnType<typeof setTimeout> | null = null;
    const bump = () => {
      gathering = null;
      if (document.hidden) return;
      client.stale();
      setTick((count) => count + 1);
    };
    const gather = () => {
      gathering ??= setTimeout(bump, GATHER_MS);
    };
    const onSeen = () => (document.hidden ? undefined : gather());
    const idle = setInterval(gather, IDLE_MS);
    document.addEventListener("visibilitychange", onSeen);
    void followChanges(client, project, abort.signal, gather);
    return () => {
      abort.abort();
      clearInterval(idle);
      if (gathering !== null) clearTimeout(gathering);
      document.removeEventListener("visibilitychange", onSeen);
    };
  }, [client, project]);
  return tick;
}
