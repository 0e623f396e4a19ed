/** The tokens of the configuration, and whose a given one is. */
import { createHash, timingSafeEqual } from "node:crypto";
import { SERVE_TOKEN } from "../../act/act.ts";
import type { ServeConfig, ServeToken } from "../../config/config.ts";

export interface Tokens {
  /** 0: nobody can log in. */
  readonly count: number;
  /** Null: no token has this name. */
  named(name: string): ServeToken | null;
  /** Null: it is none of the configuration. */
  find(given: Uint8Array): ServeToken | null;
}

/**
 * Compares digests, which have one length, so that neither the text nor the length of a token shows in the time it takes. Every token is
 * compared, so that it does not show either which one it was.
 */
export function createTokens({ token, tokens }: Pick<ServeConfig, "token" | "tokens">): Tokens {
  const unnamed: readonly ServeToken[] = token === null ? [] : [{ name: SERVE_TOKEN, token, can: "act" }];
  const known = [...unnamed, ...tokens].map((one) => ({ one, digest: digest(Buffer.from(one.token, "utf8")) }));
  return {
    count: known.length,
    named: (name) => known.find(({ one }) => one.name === name)?.one ?? null,
    find: (given) => {
      const other = digest(given);
      const [found] = known.filter((each) => timingSafeEqual(each.digest, other));
      return found?.one ?? null;
    },
  };
}

function digest(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}
