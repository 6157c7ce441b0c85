import { describe, expect, it } from "vitest";
import { eventSchema } from "../../../src/http/shapes/bodies.js";
import { FIELDS } from "../../../src/core/schema/fields.js";

describe("the described event", () => {
  it("has the members that the table of fields takes, and those that are no fields", () => {
    const fields = FIELDS.flatMap(({ camel, aliases }) => [camel, ...aliases]);
    const others = ["id", "createdAt", "created_at", "timestamp", "metadata"];
    expect(Object.keys(eventSchema.shape).sort()).toEqual([...fields, ...others].sort());
  });
});
