import type { ComponentChildren } from "preact";
import { errorTitle, type ApiError } from "../../charts/api-error.js";
import { ARROWS, BigNum, ChangeMark, Glyph } from "../../charts/figures.js";
import { Skeleton } from "../../charts/notice.js";
import { change, followable, type FormattedNumber } from "../format/text.js";
import { addressOf, type ViewState } from "../state/view-state.js";
import { usePage, type QueryState } from "./page-context.js";

interface ViewLinkProps {
  readonly to: ViewState;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly isCurrent?: boolean;
}

export function ViewLink({ to, children, class: name, isCurrent = false }: ViewLinkProps) {
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

/** Untrusted text; a link, without a referrer, only if it is an http(s) URL. */
export function ExternalText({ text }: { readonly text: string }) {
  const address = followable(text);
  if (address === null) return <>{text}</>;
  return (
    <a href={address} target="_blank" rel="noreferrer noopener">
      {text}
    </a>
  );
}

const PATHS = {
  query: "M6 3 2 8l4 5M10 3l4 5-4 5",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  plus: "M8 2.5v11M2.5 8h11",
  filter: "M2 3h12l-4.5 5.5V13l-3-1.5v-3z",
  ...ARROWS,
  out: "M6 2.5H3v11h3M7 8h7M11 5l3 3-3 3",
  sun: "M8 4.8a3.2 3.2 0 1 0 0 6.4 3.2 3.2 0 0 0 0-6.4zM8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.2 1.2M11.8 11.8 13 13M3 13l1.2-1.2M11.8 4.2 13 3",
  download: "M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11",
  left: "M10 3 5 8l5 5",
  right: "M6 3l5 5-5 5",
  overview: "M2.5 13V8M6.2 13V3M9.8 13V6M13.5 13v-3",
  trends: "M2 12l4-4 3 2.5L14 4",
  funnels: "M2 3h12L9.5 8.5V13h-3V8.5z",
  retention: "M2.5 3h11v3h-11zM2.5 6h7.5v3.5H2.5zM2.5 9.5H6V13H2.5z",
  paths: "M2 4h3c3 0 3 8 6 8h3M2 12h3c1.2 0 2-1 2.6-2.3M9 5.5c.6-.9 1.2-1.5 2-1.5h3",
  events: "M2.5 4h11M2.5 8h11M2.5 12h7",
  people: "M8 2.5a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4zM2.8 13.5c.4-2.8 2.4-4 5.2-4s4.8 1.2 5.2 4",
  companies: "M3 13.5v-11h6v11M9 6.5h4v7M1.5 13.5h13M5 5h2M5 8h2M5 11h2",
  revenue: "M8 1.5v13M11.5 4.5C11 3.4 9.7 3 8 3 6 3 4.7 3.9 4.7 5.4c0 3.4 7 1.5 7 5C11.7 12 10.2 13 8 13s-3.5-.8-3.9-2",
  privacy: "M8 1.5 3 3.5v4c0 3.5 2 5.7 5 7 3-1.3 5-3.5 5-7v-4z",
  store:
    "M2.5 4c0-1 2.5-1.8 5.5-1.8s5.5.8 5.5 1.8-2.5 1.8-5.5 1.8S2.5 5 2.5 4zM2.5 4v8c0 1 2.5 1.8 5.5 1.8s5.5-.8 5.5-1.8V4" +
    "M2.5 8c0 1 2.5 1.8 5.5 1.8s5.5-.8 5.5-1.8",
} as const;

type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return <Glyph path={PATHS[name]} />;
}

interface ButtonProps {
  readonly onClick: () => void;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly title?: string;
  readonly disabled?: boolean;
}

/** A button that does not submit a form. */
export function Button({ class: name = "button", ...attributes }: ButtonProps) {
  return <button type="button" class={name} {...attributes} />;
}

interface IconButtonProps extends Omit<ButtonProps, "children" | "class"> {
  readonly icon: IconName;
  readonly label: string;
}

export function IconButton({ icon, label, ...attributes }: IconButtonProps) {
  return (
    <button type="button" class="icon-button" aria-label={label} {...attributes}>
      <Icon name={icon} />
    </button>
  );
}

export function ErrorNotice({ error, onAgain }: { readonly error: ApiError; readonly onAgain: () => void }) {
  const { isLoad, detail, code, requestId, retryAfterSec } = error;
  return (
    <div class={isLoad ? "notice busy" : "notice error"} role="status" data-error={code}>
      <strong>{errorTitle(error)}</strong>
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
      <Button onClick={onAgain}>Try again</Button>
    </div>
  );
}

/** Why a form was refused; null: it was not. */
export function FormError({ text }: { readonly text: string | null }) {
  if (text === null) return null;
  return (
    <p class="form-error" role="alert">
      {text}
    </p>
  );
}

/** Text that may not fit, in full on hover. */
export function Cut({ text, class: name = "cut" }: { readonly text: string; readonly class?: string }) {
  return (
    <span class={name} title={text}>
      {text}
    </span>
  );
}

export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface FigureProps {
  readonly title: string;
  readonly description?: string;
  readonly shown: FormattedNumber;
  readonly figure: string;
  readonly children?: ComponentChildren;
}

export function Figure({ title, description, shown, figure, children }: FigureProps) {
  return (
    <div class="figure">
      <dt title={description}>{title}</dt>
      <dd>
        <BigNum shown={shown} figure={figure} />
        {children}
      </dd>
    </div>
  );
}

interface TotalProps {
  readonly figure: string;
  readonly total: number | null;
  readonly before: number | null;
  readonly show: (value: number | null) => FormattedNumber;
}

export function Total({ figure, total, before, show }: TotalProps) {
  return (
    <div class="figures alone">
      <div class="figure">
        <BigNum shown={show(total)} figure={figure} />
        <ChangeMark change={change(total, before)} isCost={false} />
      </div>
    </div>
  );
}

interface LoadedProps<A> {
  readonly result: QueryState<A>;
  readonly lines: number;
  readonly children: (answer: A) => ComponentChildren;
}

export function Loaded<A>({ result: { answer, error, again }, lines, children }: LoadedProps<A>) {
  if (error !== null) return <ErrorNotice error={error} onAgain={again} />;
  return answer === null ? <Skeleton lines={lines} /> : <>{children(answer)}</>;
}
