export { createHandler } from "./handler.js";
export type { Handler, HandlerOptions } from "./handler.js";
export type { WireReply, WireRequest } from "./exchange.js";
export { createToken, memoryTokens } from "./tokens.js";
export type { CreateTokenInput, TokenStore } from "./tokens.js";
export { formatTokens, parseTokens } from "./token-file.js";
export type { TokenEntry } from "./token-file.js";
export { ROLES, SCOPES, tokenHash } from "./token.js";
export type { Role, Scope, TokenRecord } from "./token.js";
