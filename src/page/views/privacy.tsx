import { useState } from "preact/hooks";
import type { ShownRequest } from "../api/answers.js";
import { privacyQuery, newRequestQuery, resolveQuery, stepQuery, type PageQuery } from "../api/queries.js";
import { hasScope } from "../api/rights.js";
import { instantDay, instant, number } from "../format/text.js";
import { sheetOf } from "../format/sheet.js";
import { Empty } from "../../charts/notice.js";
import { Icon, Button, Fact, FormError } from "../parts/inline.js";
import { usePage, useQuery } from "../parts/page-context.js";
import { Panel, saveFile } from "../parts/panel.js";
import { Grid } from "../parts/tables.js";
import { Confirmation, Dialog } from "../parts/dialog.js";
import { Select, TextField } from "../parts/fields.js";
import { bundleOf, errorText } from "../api/client.js";

const TYPES = { access: "Access", erasure: "Erasure", portability: "Portability", rectification: "Rectification", opt_out: "Opt-out" } as const;
const REGULATIONS = { gdpr: "GDPR", ccpa: "CCPA", lgpd: "LGPD", other: "Other" } as const;

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

function statusName({ status, resolution, overdue }: ShownRequest): string {
  return `${resolution === null ? STATUSES[status] : RESOLUTIONS[resolution]}${overdue ? ", overdue" : ""}`;
}

/** The subject of a request; null if it was erased. */
function subjectOf({ subject }: ShownRequest): string | null {
  if ("email" in subject) return subject.email;
  return "user_id" in subject ? subject.user_id : null;
}

export function Privacy() {
  const { scope, token } = usePage();
  const result = useQuery(privacyQuery);
  const [open, setOpen] = useState<string | null>(null);
  const [isNew, setNew] = useState(false);
  const shown = result.answer?.privacy_requests.find(({ id }) => id === open);
  const mayWrite = hasScope(token, "privacy_requests:write");
  const add = (
    <Button onClick={() => setNew(true)}>
      <Icon name="plus" /> New request
    </Button>
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
                    <Button class="cell-button" onClick={() => setOpen(request.id)}>
                      {subjectOf(request) ?? "(erased)"}
                    </Button>
                  ),
                },
                {
                  name: "Request",
                  cell: ({ type, regulation }) => (
                    <>
                      {TYPES[type]} <span class="faint">{regulation.toUpperCase()}</span>
                    </>
                  ),
                },
                {
                  name: "Status",
                  cell: (request) => (
                    <span class={request.overdue ? "status late" : request.status === "resolved" ? "status done" : "status"}>{statusName(request)}</span>
                  ),
                },
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

function NewRequest({ onClose, onDone }: FormProps) {
  const { client } = usePage();
  const [person, setPerson] = useState("");
  const [type, setType] = useState<ShownRequest["type"]>("access");
  const [regulation, setRegulation] = useState<ShownRequest["regulation"]>("gdpr");
  const open = async () => {
    await client.send(newRequestQuery(type, person, regulation));
    onDone();
  };
  return (
    <Confirmation title="New privacy request" action="Open the request" onConfirm={open} onClose={onClose}>
      <TextField label="Email or user id of the person" value={person} required onInput={setPerson} />
      <Select label="Type of request" value={type} names={TYPES} onChoose={setType} />
      <Select label="Regulation" value={regulation} names={REGULATIONS} onChoose={setRegulation} />
    </Confirmation>
  );
}

interface FormProps {
  readonly onClose: () => void;
  /** Called after a change: the list is outdated. */
  readonly onDone: () => void;
}

function RequestDialog({ request, onClose, onDone }: FormProps & { readonly request: ShownRequest }) {
  const { scope, client, token } = usePage();
  const [isErasing, setErasing] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const subject = subjectOf(request);
  const { id, type, status, receipt } = request;
  const send = (query: PageQuery<ShownRequest>) => {
    setError(null);
    client.send(query).then(onDone, (thrown: unknown) => setError(errorText(thrown)));
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
  const isAcknowledged = status === "acknowledged";
  const mayExtend = request.extended_at === null && ["gdpr", "ccpa"].includes(request.regulation);
  const actions: readonly (readonly [isOffered: boolean, label: string, act: () => void, tone?: string])[] = [
    [status !== "resolved", "Deny", () => send(resolveQuery(id, "denied"))],
    [status !== "resolved", "Mark as withdrawn", () => send(resolveQuery(id, "withdrawn"))],
    [status === "pending_verification", "Mark as verified", () => send(stepQuery(id, "verify")), "primary"],
    [status === "submitted", "Acknowledge", () => send(stepQuery(id, "acknowledge")), "primary"],
    [isAcknowledged && mayExtend, "Extend", () => send(stepQuery(id, "extend"))],
    [isAcknowledged && (type === "access" || type === "portability"), "Save the bundle", save],
    [isAcknowledged && type === "erasure", "Erase…", () => setErasing(true), "danger"],
    [isAcknowledged && type !== "erasure", "Mark as completed", () => send(resolveQuery(id, "completed")), "primary"],
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
    <Dialog title={`${TYPES[type]}: ${subject ?? "(erased)"}`} onClose={onClose}>
      <dl class="facts">
        <Fact name="Status">{statusName(request)}</Fact>
        {times.map(
          ([name, at]) =>
            at !== null && (
              <Fact key={name} name={name}>
                {instant(at, scope.zone)}
              </Fact>
            ),
        )}
        {receipt !== null && (
          <Fact name="Removed">
            {number(receipt.events).exact} events, {number(receipt.identify_calls + receipt.group_calls + receipt.alias_calls).exact} records,{" "}
            {number(receipt.user_ids + receipt.anonymous_ids).exact} ids
          </Fact>
        )}
      </dl>
      <FormError text={error} />
      {hasScope(token, "privacy_requests:write") && (
        <div class="row end">
          {actions.map(
            ([isOffered, label, act, tone = ""]) =>
              isOffered && (
                <Button key={label} class={`button ${tone}`} onClick={act}>
                  {label}
                </Button>
              ),
          )}
        </div>
      )}
    </Dialog>
  );
}
