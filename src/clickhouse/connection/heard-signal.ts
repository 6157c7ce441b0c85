/** How long after a signal is aborted a statement is given up at the latest. */
const ASKED_EVERY_MS = 25;

/** A signal as the client takes it: signals may be ones that can only be asked whether they are aborted, and the client has to be told. */
export class HeardSignal {
  readonly signal: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setInterval> | undefined;
  #close: () => void = () => undefined;

  constructor(asked: Pick<AbortSignal, "aborted"> | undefined) {
    if (asked === undefined || asked instanceof AbortSignal) {
      this.signal = asked;
      return;
    }
    const told = new AbortController();
    this.signal = told.signal;
    this.#timer = setInterval(() => {
      if (asked.aborted) told.abort();
    }, ASKED_EVERY_MS);
  }

  /** The client listens until an answer begins: from then on it has to be closed. */
  closes(answer: { close(): void }): void {
    this.#close = () => answer.close();
    if (this.signal?.aborted === true) this.#close();
    else this.signal?.addEventListener("abort", this.#close, { once: true });
  }

  /** The statement has ended: nothing is asked any more. */
  end(): void {
    clearInterval(this.#timer);
    this.signal?.removeEventListener("abort", this.#close);
  }
}
