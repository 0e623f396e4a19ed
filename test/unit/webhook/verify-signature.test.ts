import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSignatureCheck } from "../../../src/webhook/verify-signature.ts";

const URL_TEXT = "https://agent.example/webhooks/main?x=%2F";
const SECRET = "a secret of the subscription";
const digest = createHmac("sha256", SECRET).update(URL_TEXT).digest();
const check = createSignatureCheck({ url: URL_TEXT, secret: SECRET });

/** The ways in which senders write 32 bytes. */
const written = fc.constantFrom(
  digest.toString("hex"),
  digest.toString("hex").toUpperCase(),
  digest.toString("base64"),
  digest.toString("base64").replace("=", ""),
  digest.toString("base64url"),
  `${digest.toString("base64url")}=`,
);
const name = fc.constantFrom("", "sha256=", "SHA256=", "hmac-sha256=", "v1=", "sha256:", "signature=");
const scheme = fc.constantFrom("", "Bearer ", "HMAC-SHA256 ", "Signature ", "HMAC  ", "\tsha256 ");

describe("createSignatureCheck", () => {
  it("accepts the signature in hex and base64, with or without words before it", () => {
    fc.assert(
      fc.property(scheme, name, written, (first, second, value) => {
        expect(check(`${first}${second}${value}`)).toBe(true);
      }),
    );
  });

  it("refuses any text that does not have the signature, and never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 2000 }), (text) => {
        expect(check(text)).toBe(false);
      }),
    );
  });

  it("takes the URL as it was registered, and not as a parser writes it", () => {
    const url = "HTTPS://Agent.example:443/webhooks/../main";
    const registered = createHmac("sha256", SECRET).update(url).digest("hex");
    expect(createSignatureCheck({ url, secret: SECRET })(registered)).toBe(true);
  });

  it("refuses the signature of another URL or secret, and one with a single changed bit", () => {
    const other = createSignatureCheck({ url: `${URL_TEXT}/`, secret: SECRET });
    expect(other(digest.toString("hex"))).toBe(false);
    expect(createSignatureCheck({ url: URL_TEXT, secret: `${SECRET} ` })(digest.toString("base64"))).toBe(false);
    fc.assert(
      fc.property(fc.nat({ max: 255 }), (bit) => {
        const changed = Buffer.from(digest);
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(check(changed.toString("hex"))).toBe(false);
        expect(check(changed.toString("base64"))).toBe(false);
      }),
    );
  });

  it.each([
    ["no header", undefined],
    ["an empty header", ""],
    ["words alone", "Bearer sha256="],
    ["a part of the signature", digest.toString("hex").slice(0, 63)],
    ["more than the signature", `${digest.toString("hex")}0`],
    ["the signature before another word", `${digest.toString("hex")} x`],
    ["two names", `sha256=sha256=${digest.toString("hex")}`],
    ["32 zero bytes", "0".repeat(64)],
    ["a header of a megabyte", `${"x ".repeat(500_000)}${digest.toString("hex")}`],
  ])("refuses %s", (_what, header) => {
    expect(check(header)).toBe(false);
  });
});
