/** The answer of both token endpoints. */
import type { OneTimeToken } from "../../purchase/purchase.ts";
import { isObject, parseJson } from "../json-answer.ts";

/** The lifetime of a token without a readable expiry. */
export const TOKEN_LIFE_MS = 5 * 60_000;

/** An expiry later than this is a mistake or in another unit of time, so it is ignored. */
const MAX_TOKEN_LIFE_MS = 24 * 3_600_000;

/** A token becomes a request header, and servers accept 16 KiB for all headers together. */
const MAX_TOKEN_CHARS = 8192;

/** The characters of a header value: no space and no control character, so that no token can end its header. */
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
 * `exp` of a JWT as epoch ms, if it is in the future and not too far. An `exp` in the past means that the clocks differ, because
 * the token was just issued.
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
