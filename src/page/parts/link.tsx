import type { ComponentChildren } from "preact";
import { followable } from "../format/value.js";
import { addressOf } from "../state/address.js";
import type { ViewState } from "../state/view-state.js";
import { usePage } from "./page-context.js";

interface PictureLinkProps {
  readonly to: ViewState;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly isCurrent?: boolean;
}

/** A link to another view state, with a real address that can be copied or opened in a new tab. */
export function ViewLink({ to, children, class: name, isCurrent = false }: PictureLinkProps) {
  const { go } = usePage();
  const onClick = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a href={`?${addressOf(to)}`} class={name} aria-current={isCurrent ? "page" : undefined} onClick={onClick}>
      {children}
    </a>
  );
}

/** Untrusted text; a link only if it is an http(s) address, and without a referrer. */
export function Outside({ text }: { readonly text: string }) {
  const address = followable(text);
  if (address === null) return <>{text}</>;
  return (
    <a href={address} target="_blank" rel="noreferrer noopener">
      {text}
    </a>
  );
}
