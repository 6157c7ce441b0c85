/** How long after a signal is aborted a statement is given up at the latest. */
const ASKED_EVERY_MS = 25;

/** A signal as the client takes it. */
export interface HeardSignal {
  readonly signal: AbortSignal | undefined;
  /** The statement has ended: nothing is asked any more. */
  end(): void;
}

/** Signals may be ones that can only be asked whether they are aborted; the client has to be told. */
export function heardSignal(asked: Pick<AbortSignal, "aborted"> | undefined): HeardSignal {
  if (asked === undefined || asked instanceof AbortSignal) return { signal: asked, end: () => undefined };
  const told = new AbortController();
  const timer = setInterval(() => {
    if (asked.aborted) told.abort();
  }, ASKED_EVERY_MS);
  return { signal: told.signal, end: () => clearInterval(timer) };
}
