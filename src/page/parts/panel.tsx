import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { keyOf, curlOf, type PageQuery } from "../api/queries.js";
import { csvOf, type Sheet } from "../format/sheet.js";
import { Button, Icon, IconButton, Loaded } from "./inline.js";
import { usePage, type QueryState } from "./page-context.js";
import { Dialog } from "./dialog.js";
import { PlainTable } from "./tables.js";

export function saveFile(name: string, type: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function fileName(title: string, project: string, extension: string): string {
  const plain = `${title} ${project}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return `${plain.slice(0, 80)}.${extension}`;
}

/** Rows of the preview; the file contains all. */
const PREVIEW_ROWS = 100;

interface QueryDialogProps {
  readonly title: string;
  readonly query: PageQuery<unknown>;
  readonly also: PageQuery<unknown> | null;
  readonly answer: unknown;
  readonly sheet: Sheet | null;
  readonly onClose: () => void;
}

function QueryDialog({ title, query, also, answer, sheet, onClose }: QueryDialogProps) {
  const { client, scope } = usePage();
  const curl = curlOf(query, client.root);
  const save = (extension: string, type: string, content: string) => saveFile(fileName(title, scope.project, extension), type, content);
  return (
    <Dialog title={title} onClose={onClose} isWide>
      <h3>Query</h3>
      <Code label="Query" text={textOf(query)} />
      {also !== null && <Code label="Query for the comparison period" text={textOf(also)} />}
      <h3>On the command line</h3>
      <Code label="curl" text={curl} />
      <div class="row">
        <CopyButton text={curl} />
        <Button disabled={sheet === null} onClick={() => sheet !== null && save("csv", "text/csv;charset=utf-8", csvOf(sheet))}>
          <Icon name="download" /> CSV
        </Button>
        <Button disabled={answer === null} onClick={() => save("json", "application/json", JSON.stringify(answer, null, 2))}>
          <Icon name="download" /> JSON
        </Button>
      </div>
      {sheet !== null && sheet.rows.length > 0 && (
        <>
          <h3>Response{sheet.rows.length > PREVIEW_ROWS && `, the first ${PREVIEW_ROWS} of ${sheet.rows.length} rows`}</h3>
          <PlainTable sheet={{ columns: sheet.columns, rows: sheet.rows.slice(0, PREVIEW_ROWS) }} label={`Response of ${title}`} />
        </>
      )}
    </Dialog>
  );
}

function Code({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <pre class="code" tabIndex={0} aria-label={label}>
      {text}
    </pre>
  );
}

function textOf({ method, path, body }: PageQuery<unknown>): string {
  return `${method} ${path}${body === null ? "" : `\n\n${JSON.stringify(body, null, 2)}`}`;
}

function CopyButton({ text }: { readonly text: string }) {
  const [isDone, setDone] = useState(false);
  // The clipboard requires a secure context; without one, the text can still be selected.
  if (!isSecureContext) return null;
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setDone(true),
      () => setDone(false),
    );
  return <Button onClick={copy}>{isDone ? "Copied" : "Copy curl"}</Button>;
}

interface PanelProps<A> {
  readonly title: string;
  readonly result: QueryState<A>;
  readonly sheet: (answer: A) => Sheet;
  readonly children: (answer: A) => ComponentChildren;
  readonly head?: ComponentChildren;
  /** Expected number of lines, so that the layout does not shift. */
  readonly lines?: number;
  readonly noQuery?: ComponentChildren;
  readonly class?: string;
  readonly also?: PageQuery<unknown> | null;
}

export function Panel<A>({ title, result, sheet, children, head, lines = 9, noQuery, class: name = "", also = null }: PanelProps<A>) {
  const [isQueryOpen, setQueryOpen] = useState(false);
  const { query, answer, error, isOld } = result;
  // A response that could not be refreshed is still shown, and marked as stale.
  const isStale = error !== null && answer !== null && (error.isLoad || error.code === "unreachable");
  const { client } = usePage();
  const unknown = query === null || isOld ? [] : client.unknownNames(query);
  return (
    <section
      class={`panel ${name}`}
      aria-label={title}
      aria-busy={isOld || (query !== null && answer === null && error === null)}
      data-panel={title}
      data-query={query === null ? undefined : keyOf(query)}
      data-also={also === null ? undefined : keyOf(also)}
    >
      <header class="panel-head">
        <h2>{title}</h2>
        <div class="panel-tools">
          {isStale && (
            <span class="stale" title={error.detail}>
              not refreshed
            </span>
          )}
          {head}
          {query !== null && (
            <IconButton icon="query" label={`Query and downloads of ${title}`} title="Query, CSV, JSON" onClick={() => setQueryOpen(true)} />
          )}
        </div>
      </header>
      {unknown.length > 0 && (
        <p class="remark unknown">
          No event has a field or metadata key named {unknown.map((field) => `“${field}”`).join(", ")}: it counts as not set.
        </p>
      )}
      <div class={isOld ? "panel-body old" : "panel-body"}>
        {query === null ? noQuery : <Loaded result={isStale ? { ...result, error: null } : result} lines={lines}>{children}</Loaded>}
      </div>
      {isQueryOpen && query !== null && (
        <QueryDialog
          title={title}
          query={query}
          also={also}
          answer={answer}
          sheet={answer === null ? null : sheet(answer)}
          onClose={() => setQueryOpen(false)}
        />
      )}
    </section>
  );
}
