/** How long after a signal is aborted a statement is given up at the latest. */
const ASKED_EVERY_MS = 25;

type Asked = Pick<AbortSignal, "aborted">;

/** Signals as the client takes them: as one. They may be ones that can only be asked whether they are aborted, and the client has to be told. */
export class HeardSignal {
  readonly signal: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setInterval> | undefined;
  #close: () => void = () => undefined;

  constructor(...given: readonly (Asked | undefined)[]) {
    const signals = given.filter((each) => each instanceof AbortSignal);
    const asked = given.filter((each): each is Asked => each !== undefined && !(each instanceof AbortSignal));
    if (asked.length > 0) {
      const told = new AbortController();
      signals.push(told.signal);
      this.#timer = setInterval(() => {
        if (asked.some(({ aborted }) => aborted)) told.abort();
      }, ASKED_EVERY_MS);
    }
    this.signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
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
