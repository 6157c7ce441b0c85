import { useState } from "preact/hooks";
import type { PrivacyRequest } from "../../ask/answers.js";
import { newRequestQuestion } from "../../ask/questions/house.js";
import { Confirmation } from "../../parts/confirmation.js";
import { Choice } from "../../parts/field.js";
import { usePage } from "../../parts/page-context.js";
import { REGULATIONS, TYPES } from "./words.js";

/** Opens a request. */
export function NewRequest({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }) {
  const { client } = usePage();
  const [person, setPerson] = useState("");
  const [type, setType] = useState<PrivacyRequest["type"]>("access");
  const [regulation, setRegulation] = useState<PrivacyRequest["regulation"]>("gdpr");
  const read = (event: Event) => {
    if (event.target instanceof HTMLInputElement) setPerson(event.target.value);
  };
  const open = async () => {
    await client.send(newRequestQuestion(type, person, regulation));
    onDone();
  };
  return (
    <Confirmation title="New privacy request" typed={null} deed="Open the request" isDanger={false} onDeed={open} onClose={onClose}>
      <label class="choice">
        <span class="label">Email or user id of the person</span>
        <input type="text" value={person} required autoComplete="off" spellcheck={false} onInput={read} />
      </label>
      <Choice label="What they ask for" value={type} names={TYPES} onChoose={setType} />
      <Choice label="Under" value={regulation} names={REGULATIONS} onChoose={setRegulation} />
    </Confirmation>
  );
}
