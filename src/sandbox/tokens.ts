/**
 * One-time tokens: JWTs signed with HMAC-SHA256.
 *
 * A token's id ends in its serial number, so one bit for each token says whether the token is spent. A token stays spent as long as the
 * sandbox runs. Each sandbox creates a new key: it refuses the tokens of an earlier sandbox, because it does not know which were spent.
 */
import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../time/clock.ts";

/** What a token is for. */
export type TokenKind = "content" | "crawl";

/** The terms of a content token. */
export interface ContentTerms {
  readonly maxPriceMicros: number;
  readonly currency: string;
  readonly licenseType: string;
  readonly licenseCuid: string;
  readonly format?: "html" | "markdown";
}

/** A token that has been checked. */
export interface CheckedToken {
  readonly tokenId: string;
  readonly serial: number;
  readonly kind: TokenKind;
  readonly url: string;
  readonly userAgent: string;
  /** Present on a content token. */
  readonly terms?: ContentTerms;
}

/** Why a token was refused. */
export type TokenRefusal = "token-malformed" | "token-signature" | "token-expired" | "token-spent";

interface Claims {
  readonly sub: string;
  readonly jti: string;
  readonly tt: TokenKind;
  readonly x: {
    readonly ua: string;
    /** The exact expiry in epoch ms. `exp` has whole seconds and is never later. */
    readonly end: number;
    readonly mpm?: number;
    readonly cur?: string;
    readonly lt?: string;
    readonly lid?: string;
    readonly fmt?: "html" | "markdown";
  };
}

const JWT_HEADER = Buffer.from(JSON.stringify({ alg: "HS256", typ: "JWT" })).toString("base64url");
const MAX_TOKEN_CHARS = 20_000;

/** Issues, checks and spends tokens. */
export class TokenIssuer {
  readonly #key = createSecretKey(randomBytes(32));
  readonly #nonce = randomBytes(6).toString("hex");
  readonly #clock: Clock;
  readonly #lifeMs: number;
  #spentBits = new Uint8Array(1_024);
  #issued = 0;
  #spent = 0;

  constructor(deps: { clock: Clock; lifeMs: number }) {
    this.#clock = deps.clock;
    this.#lifeMs = deps.lifeMs;
  }

  get issued(): number {
    return this.#issued;
  }

  get spent(): number {
    return this.#spent;
  }

  /** Issues a token bound to a URL and a user agent. Terms make it a content token. `expired` is a fault. */
  issue(binding: { url: string; userAgent: string; terms?: ContentTerms; expired?: boolean }): string {
    const serial = this.#issued;
    this.#issued += 1;
    const now = this.#clock.now() - (binding.expired === true ? this.#lifeMs + 1_000 : 0);
    const end = now + this.#lifeMs;
    const { terms } = binding;
    const issuedAt = Math.floor(now / 1_000);
    const payload = JSON.stringify({
      iss: "sandbox",
      sub: binding.url,
      aud: "sandbox-content",
      exp: Math.floor(end / 1_000),
      nbf: issuedAt,
      iat: issuedAt,
      jti: `${this.#nonce}-${serial.toString(36)}`,
      tt: terms === undefined ? "crawl" : "content",
      x:
        terms === undefined
          ? { ua: binding.userAgent, end }
          : {
              ua: binding.userAgent,
              end,
              mpm: terms.maxPriceMicros,
              cur: terms.currency,
              lt: terms.licenseType,
              lid: terms.licenseCuid,
              fmt: terms.format,
            },
    });
    const signed = `${JWT_HEADER}.${Buffer.from(payload).toString("base64url")}`;
    return `${signed}.${this.#sign(signed)}`;
  }

  /** Checks signature and expiry, and that the token is not spent. The caller compares what the token is bound to. */
  check(token: string): CheckedToken | TokenRefusal {
    if (token.length > MAX_TOKEN_CHARS) {
      return "token-malformed";
    }
    const lastDot = token.lastIndexOf(".");
    if (lastDot < 0 || !token.startsWith(`${JWT_HEADER}.`)) {
      return "token-malformed";
    }
    const signed = token.slice(0, lastDot);
    const given = Buffer.from(token.slice(lastDot + 1));
    const expected = Buffer.from(this.#sign(signed));
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      return "token-signature";
    }
    const claims = JSON.parse(Buffer.from(signed.slice(JWT_HEADER.length + 1), "base64url").toString()) as Claims;
    if (this.#clock.now() >= claims.x.end) {
      return "token-expired";
    }
    const serial = Number.parseInt(claims.jti.slice(this.#nonce.length + 1), 36);
    if (this.#isSpent(serial)) {
      return "token-spent";
    }
    const checked = { tokenId: claims.jti, serial, kind: claims.tt, url: claims.sub, userAgent: claims.x.ua };
    if (claims.tt === "crawl") {
      return checked;
    }
    const terms: ContentTerms = {
      maxPriceMicros: claims.x.mpm ?? 0,
      currency: claims.x.cur ?? "",
      licenseType: claims.x.lt ?? "",
      licenseCuid: claims.x.lid ?? "",
      ...(claims.x.fmt === undefined ? {} : { format: claims.x.fmt }),
    };
    return { ...checked, terms };
  }

  /** Uses a token up. @throws Error when it was spent before: the caller must have checked it in the same turn. */
  spend(token: CheckedToken): void {
    if (this.#isSpent(token.serial)) {
      throw new Error(`token ${token.tokenId} was spent already`);
    }
    const index = token.serial >>> 3;
    if (index >= this.#spentBits.length) {
      const grown = new Uint8Array(Math.max(this.#spentBits.length * 2, index + 1));
      grown.set(this.#spentBits);
      this.#spentBits = grown;
    }
    this.#spentBits[index] = (this.#spentBits[index] ?? 0) | (1 << (token.serial & 7));
    this.#spent += 1;
  }

  #isSpent(serial: number): boolean {
    return ((this.#spentBits[serial >>> 3] ?? 0) & (1 << (serial & 7))) !== 0;
  }

  #sign(text: string): string {
    return createHmac("sha256", this.#key).update(text).digest("base64url");
  }
}
