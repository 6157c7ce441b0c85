const TICK_MS = 1;

/** The longest time in which nothing else had a turn, while something was watched. */
export class Pauses {
  longestMs = 0;

  async watch<T>(act: () => Promise<T>): Promise<T> {
    let lastMs = performance.now();
    const look = () => {
      const nowMs = performance.now();
      this.longestMs = Math.max(this.longestMs, nowMs - lastMs);
      lastMs = nowMs;
    };
    const timer = setInterval(look, TICK_MS);
    try {
      return await act();
    } finally {
      look();
      clearInterval(timer);
    }
  }
}
