import type { ComponentChildren } from "preact";
import type { ApiError } from "../ask/client.js";

/** An empty state: says that there is nothing to show, and what to do about it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="notice" role="status">
      <strong>{title}</strong>
      {children !== undefined && <div class="notice-text">{children}</div>}
    </div>
  );
}

const TITLES: Readonly<Record<string, string>> = {
  unreachable: "The server cannot be reached",
  insufficient_scope: "This token is not allowed to read this",
  insufficient_role: "This token is not allowed to read this",
  organization_token_required: "This requires a token for the whole organization",
  query_timeout: "The query took too long",
  identity_not_found: "No person has this id or email",
  project_not_found: "There is no such project",
  company_not_found: "There is no such company",
};

function titleOf({ code, isLoad, status }: ApiError): string {
  const title = TITLES[code];
  if (title !== undefined) return title;
  if (isLoad) return "The server is busy";
  return status >= 500 ? "Something went wrong on the server" : "The query cannot be run";
}

/** Explains why a query failed. */
export function ErrorNotice({ error, onAgain }: { readonly error: ApiError; readonly onAgain: () => void }) {
  const { isLoad, detail, code, requestId, retryAfterSec } = error;
  return (
    <div class={isLoad ? "notice busy" : "notice error"} role="status" data-error={code}>
      <strong>{titleOf(error)}</strong>
      <div class="notice-text">{isLoad ? `Retrying in ${retryAfterSec ?? 5} s.` : detail}</div>
      <div class="notice-small">
        <code>{code}</code>
        {requestId === null ? null : (
          <>
            {" "}
            · request <code>{requestId}</code>
          </>
        )}
      </div>
      <button type="button" class="button" onClick={onAgain}>
        Try again
      </button>
    </div>
  );
}

/** A remark about a number, next to it. */
export function Remark({ children }: { readonly children: ComponentChildren }) {
  return <p class="remark">{children}</p>;
}

/** Reserves the space of content that is loading. */
export function Skeleton({ lines = 9 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: lines }, (_, at) => (
        <div key={at} class={`skeleton-line w${at % 4}`} />
      ))}
    </div>
  );
}
