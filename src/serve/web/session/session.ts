/**
 * Sessions of browsers. A session is a cookie and nothing else: the name of a token, until when it counts, a random number, and a code over the three
 * that only who has the token can make. So it survives a restart of the service, it ends with its token, nothing is stored, and no cookie has a token.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { ServeToken } from "../../../config/config.ts";
import type { Tokens } from "../../http/tokens.ts";

/** How long a login counts. Until then, only taking its token out of the configuration ends it everywhere. */
export const SESSION_MS = 7 * 86_400_000;
const NONCE_BYTES = 16;
const NUMERALS = 36;

export interface Session {
  readonly name: string;
  readonly can: ServeToken["can"];
  /** What each form of the session has in it. */
  readonly formToken: string;
}

export interface Sessions {
  /** @returns the value of a new cookie */
  begin(token: ServeToken): string;
  /** Null: it is not a session, it is over, or its token is not the one that is configured now. */
  read(cookie: string): Session | null;
}

export function createSessions(tokens: Tokens, now: () => number): Sessions {
  return {
    begin(token) {
      const name = Buffer.from(token.name, "utf8").toString("base64url");
      const until = (now() + SESSION_MS).toString(NUMERALS);
      const claim = `${name}.${until}.${randomBytes(NONCE_BYTES).toString("base64url")}`;
      return `${claim}.${codeOf(token, "session", claim)}`;
    },
    read(cookie) {
      const claim = cookie.slice(0, cookie.lastIndexOf("."));
      const [name = "", until = ""] = claim.split(".");
      const token = tokens.named(Buffer.from(name, "base64url").toString("utf8"));
      if (token === null || !isSame(cookie, `${claim}.${codeOf(token, "session", claim)}`)) {
        return null;
      }
      const isOver = Number.parseInt(until, NUMERALS) <= now();
      return isOver ? null : { name: token.name, can: token.can, formToken: codeOf(token, "form", cookie) };
    },
  };
}

/** @param use codes of one use are not those of another */
function codeOf({ token }: ServeToken, use: "session" | "form", text: string): string {
  return createHmac("sha256", token).update(`licet ${use}\n${text}`).digest("base64url");
}

/** In a time that does not show where they differ. */
export function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a, "utf8"), Buffer.from(b, "utf8")];
  return one.length === other.length && timingSafeEqual(one, other);
}
