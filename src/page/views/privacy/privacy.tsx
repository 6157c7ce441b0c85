import { useState } from "preact/hooks";
import type { ShownRequest } from "../../ask/answers.js";
import { privacyQuery, newRequestQuery, resolveQuery, stepQuery } from "../../ask/queries/store.js";
import { hasScope } from "../../ask/rights.js";
import { instantDay, instant } from "../../format/date.js";
import { sheetOf } from "../../format/sheet.js";
import { Icon } from "../../parts/inline.js";
import { Empty } from "../../parts/notice.js";
import { usePage, useQuery } from "../../parts/page-context.js";
import { Panel, saveFile } from "../../parts/panel.js";
import { Grid } from "../../parts/table.js";
import { Confirmation, Dialog } from "../../parts/dialog.js";
import { Select } from "../../parts/field.js";
import { bundleOf } from "../../ask/person-requests.js";
import type { PageQuery } from "../../ask/page-query.js";
import { ApiError } from "../../ask/client.js";
import { number } from "../../format/number.js";

const TYPES = [
  ["access", "Access"],
  ["erasure", "Erasure"],
  ["portability", "Portability"],
  ["rectification", "Rectification"],
  ["opt_out", "Opt-out"],
] as const;
const REGULATIONS = [
  ["gdpr", "GDPR"],
  ["ccpa", "CCPA"],
  ["lgpd", "LGPD"],
  ["other", "Other"],
] as const;

const STATUSES: Readonly<Record<ShownRequest["status"], string>> = {
  pending_verification: "Not verified yet",
  submitted: "Verified",
  acknowledged: "Acknowledged",
  resolved: "Resolved",
};

const RESOLUTIONS: Readonly<Record<NonNullable<ShownRequest["resolution"]>, string>> = {
  completed: "Completed",
  no_records_found: "No records found",
  partially_completed: "Partially completed",
  denied: "Denied",
  withdrawn: "Withdrawn",
};

function typeName(type: ShownRequest["type"]): string {
  return TYPES.find(([name]) => name === type)?.[1] ?? type;
}

function statusName({ status, resolution }: ShownRequest): string {
  return resolution === null ? STATUSES[status] : RESOLUTIONS[resolution];
}

/** The subject of a request; null if it was erased. */
function subjectOf({ subject }: ShownRequest): string | null {
  if ("email" in subject) return subject.email;
  return "user_id" in subject ? subject.user_id : null;
}

/** Requests of people about their data, and their state. */
export function Privacy() {
  const { scope, token } = usePage();
  const result = useQuery(privacyQuery);
  const [open, setOpen] = useState<string | null>(null);
  const [isNew, setNew] = useState(false);
  const shown = result.answer?.privacy_requests.find(({ id }) => id === open);
  const mayWrite = hasScope(token, "privacy_requests:write");
  const add = (
    <button type="button" class="button" onClick={() => setNew(true)}>
      <Icon name="plus" /> New request
    </button>
  );
  return (
    <>
      <Panel
        title="Requests"
       
        result={result}
        lines={10}
        head={mayWrite ? add : undefined}
        sheet={({ privacy_requests: requests }) => sheetOf(requests)}
      >
        {({ privacy_requests: requests }) =>
          requests.length === 0 ? (
            <Empty title="No requests yet">Requests for access, erasure and the like are listed here, with their deadlines.</Empty>
          ) : (
            <Grid
              label="Requests"
              rows={requests}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: "About",
                  cell: (request) => (
                    <button type="button" class="cell-button" onClick={() => setOpen(request.id)}>
                      {subjectOf(request) ?? "(erased)"}
                    </button>
                  ),
                },
                {
                  name: "Request",
                  cell: ({ type, regulation }) => (
                    <>
                      {typeName(type)} <span class="faint">{regulation.toUpperCase()}</span>
                    </>
                  ),
                },
                { name: "Status", cell: (request) => <Status request={request} /> },
                { name: "Due", cell: ({ due_at: at }) => <span class="nowrap">{instantDay(at, scope.zone)}</span> },
                { name: "Received", cell: ({ created_at: at }) => <span class="nowrap">{instantDay(at, scope.zone)}</span> },
              ]}
            />
          )
        }
      </Panel>
      {isNew && <NewRequest onClose={() => setNew(false)} onDone={result.again} />}
      {shown !== undefined && <RequestDialog request={shown} onClose={() => setOpen(null)} onDone={result.again} />}
    </>
  );
}

function Status({ request }: { readonly request: ShownRequest }) {
  return (
    <span class={request.overdue ? "status late" : request.status === "resolved" ? "status done" : "status"}>
      {statusName(request)}
      {request.overdue && ", overdue"}
    </span>
  );
}

function NewRequest({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }) {
  const { client } = usePage();
  const [person, setPerson] = useState("");
  const [type, setType] = useState<ShownRequest["type"]>("access");
  const [regulation, setRegulation] = useState<ShownRequest["regulation"]>("gdpr");
  const read = (event: Event) => {
    if (event.target instanceof HTMLInputElement) setPerson(event.target.value);
  };
  const open = async () => {
    await client.send(newRequestQuery(type, person, regulation));
    onDone();
  };
  return (
    <Confirmation title="New privacy request" typed={null} action="Open the request" isDanger={false} onConfirm={open} onClose={onClose}>
      <label class="choice">
        <span class="label">Email or user id of the person</span>
        <input type="text" value={person} required autoComplete="off" spellcheck={false} onInput={read} />
      </label>
      <Select label="Type of request" value={type} names={TYPES} onChoose={setType} />
      <Select label="Regulation" value={regulation} names={REGULATIONS} onChoose={setRegulation} />
    </Confirmation>
  );
}

interface RequestDialogProps {
  readonly request: ShownRequest;
  readonly onClose: () => void;
  /** Called after a change: the list is outdated. */
  readonly onDone: () => void;
}

/** One request: its history, and the steps that may follow. */
function RequestDialog({ request, onClose, onDone }: RequestDialogProps) {
  const { scope, client, token } = usePage();
  const [isErasing, setErasing] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const subject = subjectOf(request);
  const { id, type, status, receipt } = request;
  const send = (query: PageQuery<ShownRequest>) => {
    setError(null);
    client
      .send(query)
      .then(onDone, (thrown: unknown) => setError(thrown instanceof ApiError ? `${thrown.code}: ${thrown.detail}` : String(thrown)));
  };
  const save = () =>
    void bundleOf(client, id).then(
      (lines) => saveFile(`bundle-${id}.ndjson`, "application/x-ndjson", lines),
      (thrown: unknown) => setError(String(thrown)),
    );
  const erase = async () => {
    await client.send(resolveQuery(id, "completed"));
    onDone();
  };
  const times: readonly (readonly [string, string | null])[] = [
    ["Received", request.created_at],
    ["Verified", request.verified_at],
    ["Acknowledged", request.acknowledged_at],
    ["Extended", request.extended_at],
    ["Resolved", request.resolved_at],
    ["Due", request.due_at],
  ];
  if (isErasing && subject !== null) {
    return (
      <Confirmation title={`Erase ${subject}`} typed={subject} action="Erase permanently" isDanger onConfirm={erase} onClose={onClose}>
        <p>
          Resolving this request removes every event, id, email and trait of <strong>{subject}</strong> from memory and from every file. This
          cannot be undone.
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
      {error !== null && (
        <p class="form-error" role="alert">
          {error}
        </p>
      )}
      {hasScope(token, "privacy_requests:write") && (
        <div class="row end">
          {status !== "resolved" && (
            <button type="button" class="button" onClick={() => send(resolveQuery(id, "denied"))}>
              Deny
            </button>
          )}
          {status !== "resolved" && (
            <button type="button" class="button" onClick={() => send(resolveQuery(id, "withdrawn"))}>
              Mark as withdrawn
            </button>
          )}
          {status === "pending_verification" && (
            <button type="button" class="button primary" onClick={() => send(stepQuery(id, "verify"))}>
              Mark as verified
            </button>
          )}
          {status === "submitted" && (
            <button type="button" class="button primary" onClick={() => send(stepQuery(id, "acknowledge"))}>
              Acknowledge
            </button>
          )}
          {status === "acknowledged" && request.extended_at === null && ["gdpr", "ccpa"].includes(request.regulation) && (
            <button type="button" class="button" onClick={() => send(stepQuery(id, "extend"))}>
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
            <button type="button" class="button primary" onClick={() => send(resolveQuery(id, "completed"))}>
              Mark as completed
            </button>
          )}
        </div>
      )}
    </Dialog>
  );
}
