import crypto from "node:crypto";

/** In Node since 20.12. */
const { hash } = crypto as { hash?: (algorithm: string, text: string, encoding: "hex") => string };

/** Lower-case hex of SHA-256 over a text in UTF-8, by OpenSSL. On short texts it takes a fifth of the time of the one in JavaScript. */
export function sha256Hex(text: string): string {
  return hash === undefined ? crypto.createHash("sha256").update(text).digest("hex") : hash("sha256", text, "hex");
}
