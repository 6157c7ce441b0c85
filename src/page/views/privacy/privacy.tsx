import { useState } from "preact/hooks";
import type { PrivacyRequest } from "../../ask/answers.js";
import { privacyQuestion } from "../../ask/questions/house.js";
import { hasScope } from "../../ask/rights.js";
import { instantDay } from "../../format/date.js";
import { sheetOf } from "../../format/sheet.js";
import { Icon } from "../../parts/icon.js";
import { Empty } from "../../parts/notice.js";
import { usePage } from "../../parts/page-context.js";
import { Panel } from "../../parts/panel.js";
import { useReply } from "../../parts/reply.js";
import { Grid } from "../../parts/table.js";
import { NewRequest } from "./new-request.js";
import { RequestDialog } from "./request-dialog.js";
import { statusName, subjectOf, typeName } from "./words.js";

/** What persons asked about their data, and what became of it. */
export function Privacy() {
  const { scope, token } = usePage();
  const reply = useReply(privacyQuestion);
  const [open, setOpen] = useState<string | null>(null);
  const [isNew, setNew] = useState(false);
  const shown = reply.answer?.privacy_requests.find(({ id }) => id === open);
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
       
        reply={reply}
        lines={10}
        head={mayWrite ? add : undefined}
        sheet={({ privacy_requests: requests }) => sheetOf(requests)}
      >
        {({ privacy_requests: requests }) =>
          requests.length === 0 ? (
            <Empty title="Nobody has asked yet">Requests for access, erasure and the like are listed here, with their deadlines.</Empty>
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
                { name: "Came", cell: ({ created_at: at }) => <span class="nowrap">{instantDay(at, scope.zone)}</span> },
              ]}
            />
          )
        }
      </Panel>
      {isNew && <NewRequest onClose={() => setNew(false)} onDone={reply.again} />}
      {shown !== undefined && <RequestDialog request={shown} onClose={() => setOpen(null)} onDone={reply.again} />}
    </>
  );
}

function Status({ request }: { readonly request: PrivacyRequest }) {
  return (
    <span class={request.overdue ? "status late" : request.status === "resolved" ? "status done" : "status"}>
      {statusName(request)}
      {request.overdue && ", overdue"}
    </span>
  );
}
