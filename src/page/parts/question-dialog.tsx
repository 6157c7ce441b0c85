import { useState } from "preact/hooks";
import { curlOf, type Question } from "../ask/question.js";
import { csvOf, type Sheet } from "../format/sheet.js";
import { Dialog } from "./dialog.js";
import { Icon } from "./icon.js";
import { usePage } from "./page-context.js";
import { fileName, saveFile } from "./save.js";
import { PlainTable } from "./table.js";

/** Rows that the preview shows; the file has them all. */
const PREVIEW_ROWS = 100;

interface QuestionDialogProps {
  readonly title: string;
  readonly question: Question<unknown>;
  readonly also: Question<unknown> | null;
  readonly answer: unknown;
  readonly sheet: Sheet | null;
  readonly onClose: () => void;
}

/** What a panel asked, how to ask it elsewhere, and its answer as a table and as files. */
export function QuestionDialog({ title, question, also, answer, sheet, onClose }: QuestionDialogProps) {
  const { client, scope } = usePage();
  const curl = curlOf(question, client.root);
  return (
    <Dialog title={title} onClose={onClose} isWide>
      <h3>Question</h3>
      <pre class="code" tabIndex={0} aria-label="Question">
        {textOf(question)}
      </pre>
      {also !== null && (
        <pre class="code" tabIndex={0} aria-label="Question of the time before">
          {textOf(also)}
        </pre>
      )}
      <h3>For a terminal</h3>
      <pre class="code" tabIndex={0} aria-label="curl">
        {curl}
      </pre>
      <div class="row">
        <CopyButton text={curl} />
        <button
          type="button"
          class="button"
          disabled={sheet === null}
          onClick={() => sheet !== null && saveFile(fileName(title, scope.project, "csv"), "text/csv;charset=utf-8", csvOf(sheet))}
        >
          <Icon name="download" /> CSV
        </button>
        <button
          type="button"
          class="button"
          disabled={answer === null}
          onClick={() => saveFile(fileName(title, scope.project, "json"), "application/json", JSON.stringify(answer, null, 2))}
        >
          <Icon name="download" /> JSON
        </button>
      </div>
      {sheet !== null && sheet.rows.length > 0 && (
        <>
          <h3>Answer{sheet.rows.length > PREVIEW_ROWS && `, the first ${PREVIEW_ROWS} of ${sheet.rows.length} rows`}</h3>
          <PlainTable sheet={{ columns: sheet.columns, rows: sheet.rows.slice(0, PREVIEW_ROWS) }} label={`Answer of ${title}`} />
        </>
      )}
    </Dialog>
  );
}

function textOf({ method, path, body }: Question<unknown>): string {
  return `${method} ${path}${body === null ? "" : `\n\n${JSON.stringify(body, null, 2)}`}`;
}

function CopyButton({ text }: { readonly text: string }) {
  const [isDone, setDone] = useState(false);
  // Off a secure origin browsers have no clipboard for pages: then there is no button, and the text can be marked by hand.
  if (!isSecureContext) return null;
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setDone(true),
      () => setDone(false),
    );
  return (
    <button type="button" class="button" onClick={copy}>
      {isDone ? "Copied" : "Copy curl"}
    </button>
  );
}
