import { useState } from "preact/hooks";
import { erasePerson, exportPerson } from "../../ask/person-requests.js";
import { hasScope } from "../../ask/rights.js";
import { Confirmation } from "../../parts/confirmation.js";
import { usePage } from "../../parts/page-context.js";
import { fileName, saveFile } from "../../parts/save.js";
import { choose } from "../../state/picture.js";

/** What may be done about a person: both are privacy requests, which are kept. */
export function PersonDeeds({ person }: { readonly person: string }) {
  const { client, token, picture, go } = usePage();
  const [deed, setDeed] = useState<"export" | "erase" | null>(null);
  if (!hasScope(token, "privacy_requests:write") || !hasScope(token, "privacy_requests:read")) return null;
  const exportNow = async () => saveFile(fileName("person", person, "ndjson"), "application/x-ndjson", await exportPerson(client, person, "gdpr"));
  const eraseNow = async () => {
    await erasePerson(client, person, "gdpr");
    go(choose(choose(picture, "people", { person: "" }), "privacy", {}));
  };
  return (
    <>
      <button type="button" class="button" onClick={() => setDeed("export")}>
        Export…
      </button>
      <button type="button" class="button" onClick={() => setDeed("erase")}>
        Erase…
      </button>
      {deed === "export" && (
        <Confirmation
          title={`Export everything about ${person}`}
          typed={person}
          deed="Export"
          isDanger={false}
          onDeed={exportNow}
          onClose={() => setDeed(null)}
        >
          <p>
            A file with all ids, what was told of them, and every event of <strong>{person}</strong>, in all projects. A privacy request of type
            portability is opened and resolved.
          </p>
        </Confirmation>
      )}
      {deed === "erase" && (
        <Confirmation title={`Erase ${person}`} typed={person} deed="Erase for ever" isDanger onDeed={eraseNow} onClose={() => setDeed(null)}>
          <p>
            Every event, id, email and trait of <strong>{person}</strong> is removed from memory and from every file, in all projects. All numbers
            follow. Nothing brings it back.
          </p>
          <p class="remark">A privacy request of type erasure is opened and resolved; its receipt counts what went.</p>
        </Confirmation>
      )}
    </>
  );
}
