/**
 * The names in a question that nothing has, from the header that tells of them: such as
 * `unknown_field; param="filter_groups[0].filters[0].field_name"; name="plna"`. Names are percent-encoded, so nothing in them ends a text.
 */
export function unknownFields(header: string | null): readonly string[] {
  const names = [...(header ?? "").matchAll(/unknown_field; param="[^"]*"; name="([^"]*)"/g)].map(([, name = ""]) => decoded(name));
  return [...new Set(names)];
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
