import { useEffect, useState } from "preact/hooks";
import { mostActiveQuery } from "../../ask/queries/people.js";
import { number } from "../../format/number.js";
import { sheetOf } from "../../format/sheet.js";
import { ViewLink, Num } from "../../parts/inline.js";
import { usePage, useQuery } from "../../parts/page-context.js";
import { Panel } from "../../parts/panel.js";
import { Grid } from "../../parts/table.js";
import { choose } from "../../state/view-state.js";
import { NothingHere } from "../remarks.js";
import { Person } from "./person.js";

/** One person, found by an id or an email, or the most active people. */
export function People() {
  const { viewState, go } = usePage();
  const { person } = viewState.choices.people;
  const [text, setText] = useState(person);
  useEffect(() => setText(person), [person]);
  const read = (event: Event) => {
    if (event.target instanceof HTMLInputElement) setText(event.target.value);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    go(choose(viewState, "people", { person: text.trim() }));
  };
  return (
    <>
      <form class="panel search" role="search" onSubmit={submit}>
        <label class="choice">
          <span class="label">Email, user id or visitor id</span>
          <input type="search" value={text} placeholder="ann@example.org" autoComplete="off" spellcheck={false} onInput={read} />
        </label>
        <button type="submit" class="button primary">
          Find
        </button>
        {person !== "" && (
          <ViewLink class="button" to={choose(viewState, "people", { person: "" })}>
            Most active people
          </ViewLink>
        )}
      </form>
      {person === "" ? <MostActive /> : <Person key={person} person={person} />}
    </>
  );
}

function MostActive() {
  const { viewState, scope } = usePage();
  const result = useQuery(mostActiveQuery({ ...scope, filters: [] }));
  return (
    <Panel
      title="Most active people"
      result={result}
      lines={16}
      sheet={({ series }) => sheetOf(series.map(({ values, total }) => ({ user_id: values[0], events: total })))}
    >
      {({ series }) => {
        const identified = series.filter(({ values }) => (values[0] ?? "") !== "");
        if (identified.length === 0)
          return series.length === 0 ? <NothingHere /> : <p class="nothing">No person has a user id in this period: search by a visitor id.</p>;
        return (
          <Grid
            label="Most active people"
            rows={identified}
            keyOf={({ values }) => values[0] ?? ""}
            columns={[
              { name: "User", cell: ({ values: [id = ""] }) => <ViewLink to={choose(viewState, "people", { person: id })}>{id}</ViewLink> },
              { name: "Events", isNumber: true, cell: ({ total }) => <Num shown={number(total)} /> },
            ]}
          />
        );
      }}
    </Panel>
  );
}
