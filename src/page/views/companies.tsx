import type { CompaniesAnswer } from "../api/answers.js";
import { RANGE_DAYS, companiesQuery, companyDays, companyUsersQuery } from "../api/queries.js";
import { canRead } from "../api/rights.js";
import { instantDay, plural, money, number } from "../format/text.js";
import { sheetOf } from "../format/sheet.js";
import { Num } from "../../charts/figures.js";
import { Empty } from "../../charts/notice.js";
import { ViewLink } from "../parts/inline.js";
import { usePage, useQuery, useChoices } from "../parts/page-context.js";
import { Panel } from "../parts/panel.js";
import { Grid } from "../parts/tables.js";
import { choose } from "../state/view-state.js";

export function Companies() {
  const { scope } = usePage();
  const [{ sort, company }] = useChoices("companies");
  const result = useQuery(companiesQuery(scope, { sort }));
  const { days, isCut } = companyDays(scope);
  return (
    <>
      <Panel title="Companies" result={result} lines={12} sheet={({ companies }) => sheetOf(companies)}>
        {(answer) =>
          answer.companies.length === 0 ? (
            <Empty title="No active companies in this period">
              Companies come from <code>group</code> calls and from events that name one.
            </Empty>
          ) : (
            <CompanyRows answer={answer} />
          )
        }
      </Panel>
      <p class="remark">
        The last {plural(days, "day")} up to now, in all projects{isCut && `: reports about companies look back at most ${RANGE_DAYS} days`}.
      </p>
      {company !== "" && <CompanyPeople key={company} company={company} />}
    </>
  );
}

function CompanyRows({ answer: { companies, currency } }: { readonly answer: CompaniesAnswer }) {
  const { viewState, scope } = usePage();
  const [{ sort }, change] = useChoices("companies");
  const sorting = (name: typeof sort) => ({ isNumber: true, isSorted: sort === name, onSort: () => change({ sort: name }) });
  return (
    <Grid
      label="Companies"
      rows={companies}
      keyOf={({ company_id: id }) => id}
      columns={[
        {
          name: "Company",
          cell: ({ company_id: id, name, domain }) => (
            <>
              <ViewLink to={choose(viewState, "companies", { company: id })}>{name === "" ? id : name}</ViewLink>
              {domain !== null && <span class="faint"> {domain}</span>}
            </>
          ),
        },
        { name: "People", ...sorting("users"), cell: ({ users }) => <Num shown={number(users)} /> },
        { name: "Events", ...sorting("events"), cell: ({ events }) => <Num shown={number(events)} /> },
        { name: "Revenue", ...sorting("revenue"), cell: ({ revenue }) => <Num shown={money(revenue, currency)} /> },
        { name: "Last seen", ...sorting("last_seen"), cell: ({ last_seen: at }) => instantDay(at, scope.zone) },
      ]}
    />
  );
}

function CompanyPeople({ company }: { readonly company: string }) {
  const { viewState, scope, token } = usePage();
  const result = useQuery(companyUsersQuery(scope, company));
  const name = (id: string) =>
    canRead(token, "identities:read") ? <ViewLink to={choose(viewState, "people", { person: id })}>{id}</ViewLink> : id;
  return (
    <Panel title={`People of ${company}`} result={result} lines={8} sheet={({ users }) => sheetOf(users)}>
      {({ users }) => (
        <Grid
          label={`People of ${company}`}
          empty="None"
          rows={users}
          keyOf={({ resolved_identifier: id }) => id}
          columns={[
            { name: "Person", cell: ({ resolved_identifier: id }) => name(id) },
            { name: "Events", isNumber: true, cell: ({ events }) => <Num shown={number(events)} /> },
            { name: "Last seen", isNumber: true, cell: ({ last_seen: at }) => instantDay(at, scope.zone) },
          ]}
        />
      )}
    </Panel>
  );
}
