import eslint from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/**", ".test-programs/**", "coverage/**", "examples/data/**", "data/**"] },
  eslint.configs.recommended,
  ...tseslint.configs.recommended,
  { files: [".ci/**"], languageOptions: { globals: { console: "readonly", process: "readonly" } } },
  {
    files: ["examples/**/*.cjs", "examples/jest/*.js"],
    languageOptions: { globals: { module: "writable", require: "readonly" } },
    rules: { "@typescript-eslint/no-require-imports": "off" },
  },
  {
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "no-control-regex": "off",
      "no-constant-condition": ["error", { checkLoops: false }],
      "prefer-const": "error",
      eqeqeq: ["error", "always"],
    },
  },
);
