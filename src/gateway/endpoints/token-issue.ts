/** What both token endpoints answer (gateway-notes § Tokens interface). */
import type { OneTimeToken } from "../../purchase/purchase.ts";
import { isObject, parseJson } from "../json-answer.ts";

/** A token's life where it does not say it itself. */
export const TOKEN_LIFE_MS = 5 * 60_000;

/** An expiry further away than this is a mistake, or another unit of time: the hint is not taken. */
const MAX_TOKEN_LIFE_MS = 24 * 3_600_000;

/** A token becomes a request header, and servers grant all of those together 16 KiB. */
const MAX_TOKEN_CHARS = 8192;

/** What a header value may hold: no space, no control, so that no token can end its header. */
const TOKEN = /^[\x21-\x7e]+$/;

/** The token, or null when the answer has none that can be sent. */
export function readToken(json: unknown, nowMs: number): OneTimeToken | null {
  const token = isObject(json) ? json.token : null;
  if (typeof token !== "string" || token.length > MAX_TOKEN_CHARS || !TOKEN.test(token)) {
    return null;
  }
  return { token, expiresAt: readExpiry(token, nowMs) ?? nowMs + TOKEN_LIFE_MS };
}

/**
 * `exp` of a JWT, as epoch ms, if it lies ahead and not absurdly far. One in the past says that the clocks differ, since
 * the token was issued just now.
 */
function readExpiry(token: string, nowMs: number): number | null {
  const payload = token.split(".", 3)[1];
  const claims = payload === undefined ? null : parseJson(Buffer.from(payload, "base64url"));
  const exp = isObject(claims) ? claims.exp : null;
  if (typeof exp !== "number" || !Number.isFinite(exp)) {
    return null;
  }
  const expiresAt = Math.floor(exp * 1000);
  return expiresAt > nowMs && expiresAt <= nowMs + MAX_TOKEN_LIFE_MS ? expiresAt : null;
}
