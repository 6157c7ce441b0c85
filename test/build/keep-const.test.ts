import { expect, test } from "vitest";
import { keepConst } from "../../build/keep-const.js";

test("what is given a value at once, and never another, becomes a constant", () => {
  expect(keepConst("var A = 1;\nvar B = class {};\nvar { c, d: [e] } = x, f = 2;\n")).toBe("const A = 1;\nconst B = class {};\nconst { c, d: [e] } = x, f = 2;\n");
});

test.each([
  ["assigned to", "var a = 1;\nfunction f() { a = 2; }\n"],
  ["assigned to with an operator", "var a = 1;\n() => { a ??= 2; };\n"],
  ["counted up", "var a = 1;\na++;\n"],
  ["counted down", "var a = 1;\n--a;\n"],
  ["assigned to by a pattern", "var a = 1;\n({ b: [a = 3] } = x);\n"],
  ["assigned to by a short member of a pattern", "var a = 1;\n({ a } = x);\n"],
  ["assigned to by a rest of a pattern", "var a = 1;\n[...a] = x;\n"],
  ["assigned to by a loop", "var a = 1;\nfor (a of x) f();\n"],
  ["declared with one that is assigned to", "var a = 1, b = 2;\nb = 3;\n"],
  ["without a value at first", "var a;\n"],
  ["declared twice", "var a = 1;\nvar a = 2;\n"],
  ["declared in a block too", "var a = 1;\n{ var a = 2; }\n"],
  ["declared by a loop too", "var a = 1;\nfor (var a of x) f();\n"],
  ["read by its own value", "var a = ((b) => b)(a || {});\n"],
  ["read by a value beside it", "var a = [b], b = 1;\n"],
  ["within a function", "function f() { var a = 1; }\n"],
])("what is %s stays a variable", (_, code) => {
  expect(keepConst(code)).toBe(code);
});

test("what only has members assigned to, or names them, becomes a constant", () => {
  const code = "x = 1;\nvar a = [];\na[0] = 1;\nvar B = 1;\na[B].c = 2;\na[B]++;\n[a[B]] = x;\n";
  expect(keepConst(code)).toBe(code.replace("var a", "const a").replace("var B", "const B"));
});

test("what names itself in a function or a class, or as a member, becomes a constant", () => {
  const code = "var a = () => a;\nvar B = class B2 { f() { return B; } };\nvar c = x.c;\n";
  expect(keepConst(code)).toBe(code.replaceAll("var", "const"));
});

test("code of other kinds stays as it is", () => {
  const code = "#!/usr/bin/env node\nimport a from \"a\";\nlet b = 1;\nconst c = `var d = ${a}`;\nexport { b, c };\n";
  expect(keepConst(code)).toBe(code);
});
