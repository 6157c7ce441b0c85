import crypto from "node:crypto";

/** In Node since 20.12. */
const { hash } = crypto as { hash?: (algorithm: string, text: string, encoding: "hex") => string };

/** Lower-case hex of SHA-256 over a text in UTF-8, by OpenSSL: takes a fifth of the time of our own on short texts. */
export function sha256Hex(text: string): string {
  return hash === undefined ? crypto.createHash("sha256").update(text).digest("hex") : hash("sha256", text, "hex");
}
