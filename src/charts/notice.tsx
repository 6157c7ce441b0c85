import type { ComponentChildren } from "preact";

/** What stands in the place of a chart that has nothing to show. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="notice" role="status">
      <strong>{title}</strong>
      {children !== undefined && <div class="notice-text">{children}</div>}
    </div>
  );
}

export function Skeleton({ lines }: { readonly lines: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: lines }, (_, at) => (
        <div key={at} class={`skeleton-line w${at % 4}`} />
      ))}
    </div>
  );
}
