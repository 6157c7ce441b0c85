import { useState } from "preact/hooks";
import type { PrivacyRequest } from "../../ask/answers.js";
import { bundleOf } from "../../ask/person-requests.js";
import type { Question } from "../../ask/question.js";
import { resolveQuestion, stepQuestion } from "../../ask/questions/house.js";
import { hasScope } from "../../ask/rights.js";
import { Trouble } from "../../ask/trouble.js";
import { instant } from "../../format/date.js";
import { number } from "../../format/number.js";
import { Confirmation } from "../../parts/confirmation.js";
import { Dialog } from "../../parts/dialog.js";
import { usePage } from "../../parts/page-context.js";
import { saveFile } from "../../parts/save.js";
import { statusName, subjectOf, typeName } from "./words.js";

interface RequestDialogProps {
  readonly request: PrivacyRequest;
  readonly onClose: () => void;
  /** Something was done: the list is old. */
  readonly onDone: () => void;
}

/** One request: its life so far, and the steps that it may take next. */
export function RequestDialog({ request, onClose, onDone }: RequestDialogProps) {
  const { scope, client, token } = usePage();
  const [isErasing, setErasing] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const subject = subjectOf(request);
  const { id, type, status, receipt } = request;
  const send = (question: Question<PrivacyRequest>) => {
    setTrouble(null);
    client
      .send(question)
      .then(onDone, (thrown: unknown) => setTrouble(thrown instanceof Trouble ? `${thrown.code}: ${thrown.detail}` : String(thrown)));
  };
  const save = () =>
    void bundleOf(client, id).then(
      (lines) => saveFile(`bundle-${id}.ndjson`, "application/x-ndjson", lines),
      (thrown: unknown) => setTrouble(String(thrown)),
    );
  const erase = async () => {
    await client.send(resolveQuestion(id, "completed"));
    onDone();
  };
  const times: readonly (readonly [string, string | null])[] = [
    ["Came", request.created_at],
    ["Verified", request.verified_at],
    ["Begun", request.acknowledged_at],
    ["Extended", request.extended_at],
    ["Resolved", request.resolved_at],
    ["Due", request.due_at],
  ];
  if (isErasing && subject !== null) {
    return (
      <Confirmation title={`Erase ${subject}`} typed={subject} deed="Erase for ever" isDanger onDeed={erase} onClose={onClose}>
        <p>
          Resolving this request removes every event, id, email and trait of <strong>{subject}</strong> from memory and from every file. Nothing
          brings it back.
        </p>
      </Confirmation>
    );
  }
  return (
    <Dialog title={`${typeName(type)}: ${subject ?? "(erased)"}`} onClose={onClose}>
      <dl class="facts">
        <div>
          <dt>Status</dt>
          <dd>
            {statusName(request)}
            {request.overdue && ", overdue"}
          </dd>
        </div>
        {times.map(
          ([name, at]) =>
            at !== null && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{instant(at, scope.zone)}</dd>
              </div>
            ),
        )}
        {receipt !== null && (
          <div>
            <dt>Removed</dt>
            <dd>
              {number(receipt.events).exact} events, {number(receipt.identify_calls + receipt.group_calls + receipt.alias_calls).exact} records,{" "}
              {number(receipt.user_ids + receipt.anonymous_ids).exact} ids
            </dd>
          </div>
        )}
      </dl>
      {trouble !== null && (
        <p class="way-in-reason" role="alert">
          {trouble}
        </p>
      )}
      {hasScope(token, "privacy_requests:write") && (
        <div class="row end">
          {status !== "resolved" && (
            <button type="button" class="button" onClick={() => send(resolveQuestion(id, "denied"))}>
              Deny
            </button>
          )}
          {status !== "resolved" && (
            <button type="button" class="button" onClick={() => send(resolveQuestion(id, "withdrawn"))}>
              Withdrawn
            </button>
          )}
          {status === "pending_verification" && (
            <button type="button" class="button primary" onClick={() => send(stepQuestion(id, "verify"))}>
              Mark as verified
            </button>
          )}
          {status === "submitted" && (
            <button type="button" class="button primary" onClick={() => send(stepQuestion(id, "acknowledge"))}>
              Begin
            </button>
          )}
          {status === "acknowledged" && request.extended_at === null && ["gdpr", "ccpa"].includes(request.regulation) && (
            <button type="button" class="button" onClick={() => send(stepQuestion(id, "extend"))}>
              Extend
            </button>
          )}
          {status === "acknowledged" && (type === "access" || type === "portability") && (
            <button type="button" class="button" onClick={save}>
              Save the bundle
            </button>
          )}
          {status === "acknowledged" && type === "erasure" && (
            <button type="button" class="button danger" onClick={() => setErasing(true)}>
              Erase…
            </button>
          )}
          {status === "acknowledged" && type !== "erasure" && (
            <button type="button" class="button primary" onClick={() => send(resolveQuestion(id, "completed"))}>
              Completed
            </button>
          )}
        </div>
      )}
    </Dialog>
  );
}
