/** A function that works out what it says of each thing only once: of a history nothing changes. */
export function remembered<Thing, Answer>(compute: (thing: Thing) => Answer): (thing: Thing) => Answer {
  const known = new Map<Thing, Answer>();
  return (thing) => {
    if (!known.has(thing)) known.set(thing, compute(thing));
    return known.get(thing) as Answer;
  };
}
