import { useEffect, useRef } from "preact/hooks";
import { errorTitle, type ApiError } from "../charts/api-error.js";
import { LookContext, type Look } from "../charts/look.js";
import { Empty, Skeleton } from "../charts/notice.js";
import type { DrawingInput, ElementKind } from "./drawings.js";

interface CardProps {
  readonly kind: ElementKind;
  readonly heading: string | null;
  readonly look: Look;
  /** The answer, and what it is drawn by; null: there is none yet. */
  readonly drawn: (DrawingInput & { readonly answer: unknown }) | null;
  /** Whether the answer is to an earlier query. */
  readonly isOld: boolean;
  readonly error: ApiError | null;
  readonly onAgain: () => void;
  /** Called when the colors have changed. */
  readonly onTheme: () => void;
}

/** The content of an element: its heading, and its chart or what stands in its place. */
export function Card({ kind, heading, look, drawn, isOld, error, onAgain, onTheme }: CardProps) {
  const isLoading = error === null && (drawn === null || isOld);
  return (
    <LookContext.Provider value={look}>
      <figure class={`card ${kind.name}`} aria-label={heading ?? kind.title} aria-busy={isLoading} lang="en">
        <ThemeProbe onTheme={onTheme} />
        {(heading !== null || (error !== null && drawn !== null)) && (
          <figcaption class="card-head">
            <span class="heading">{heading}</span>
            {error !== null && drawn !== null && (
              <span class="stale" title={error.detail}>
                not refreshed
              </span>
            )}
          </figcaption>
        )}
        <div class={isOld ? "body old" : "body"}>
          {drawn === null ? error === null ? <Loading lineCount={kind.lineCount} /> : <ErrorNotice error={error} onAgain={onAgain} /> : <Drawn kind={kind} {...drawn} />}
        </div>
      </figure>
    </LookContext.Provider>
  );
}

function Drawn({ kind, ...drawn }: DrawingInput & { readonly kind: ElementKind; readonly answer: unknown }) {
  return kind.isEmpty(drawn.answer) ? <Empty title="No data in this period" /> : <kind.Drawing {...drawn} />;
}

function Loading({ lineCount }: { readonly lineCount: number }) {
  return (
    <>
      <span class="unseen" role="status">
        Loading
      </span>
      <Skeleton lines={lineCount} />
    </>
  );
}

/** Errors of attributes stay until the page changes them; others may be over. */
export function ErrorNotice({ error, onAgain }: { readonly error: ApiError; readonly onAgain?: () => void }) {
  return (
    <div class={error.isLoad ? "notice busy" : "notice error"} role="status" data-error={error.code}>
      <strong>{errorTitle(error)}</strong>
      <div class="notice-text">{error.isLoad ? "Trying again shortly." : error.detail}</div>
      {onAgain !== undefined && error.code !== "invalid_attribute" && (
        <button type="button" class="again" onClick={onAgain}>
          Try again
        </button>
      )}
    </div>
  );
}

/** An unseen element whose colors have a transition: its end reports that they changed, whatever changed them. */
function ThemeProbe({ onTheme }: { readonly onTheme: () => void }) {
  const probe = useRef<HTMLSpanElement>(null);
  const latest = useRef(onTheme);
  latest.current = onTheme;
  useEffect(() => {
    const report = () => latest.current();
    probe.current?.addEventListener("transitionend", report);
    return () => probe.current?.removeEventListener("transitionend", report);
  }, []);
  return <span class="probe unseen" ref={probe} aria-hidden="true" />;
}
