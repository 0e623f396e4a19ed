import { describe, expect, it } from "vitest";
import { type AccessRequest, type AccessRules, refuseAccess } from "../../../../src/serve/http/access.ts";

const LOOPBACK: AccessRules = { hasToken: true, isLoopback: true, isBehindProxy: false };
const NO_TOKEN: AccessRules = { ...LOOPBACK, hasToken: false };
const PUBLIC: AccessRules = { ...LOOPBACK, isLoopback: false };
const PROXIED: AccessRules = { ...LOOPBACK, isBehindProxy: true };

const PLAIN: AccessRequest = {
  method: "GET",
  isOpen: false,
  token: "none",
  readsAs: null,
  worksAs: null,
  isForWorkers: false,
  host: "127.0.0.1:8403",
  publicHost: "127.0.0.1:8403",
  origin: undefined,
  fetchSite: undefined,
  fetchMode: undefined,
  isForwarded: false,
};

const codeOf = (rules: AccessRules, changed: Partial<AccessRequest>) =>
  refuseAccess(rules, { ...PLAIN, ...changed })?.code ?? "allowed";

describe("who may do what over HTTP", () => {
  it.each([
    // rules, method, token, expected
    ["loopback", LOOPBACK, "GET", "none", "allowed"],
    ["loopback", LOOPBACK, "HEAD", "none", "allowed"],
    ["loopback", LOOPBACK, "GET", "right", "allowed"],
    ["loopback", LOOPBACK, "GET", "wrong", "TOKEN_REQUIRED"],
    ["loopback", LOOPBACK, "POST", "none", "TOKEN_REQUIRED"],
    ["loopback", LOOPBACK, "DELETE", "none", "TOKEN_REQUIRED"],
    ["loopback", LOOPBACK, "OPTIONS", "none", "TOKEN_REQUIRED"],
    ["loopback", LOOPBACK, "POST", "wrong", "TOKEN_REQUIRED"],
    ["loopback", LOOPBACK, "POST", "right", "allowed"],
    ["loopback without a token", NO_TOKEN, "GET", "none", "allowed"],
    ["loopback without a token", NO_TOKEN, "GET", "wrong", "TOKEN_REQUIRED"],
    ["loopback without a token", NO_TOKEN, "POST", "none", "TOKEN_NOT_SET"],
    ["another address", PUBLIC, "GET", "none", "TOKEN_REQUIRED"],
    ["another address", PUBLIC, "GET", "right", "allowed"],
    ["another address", PUBLIC, "POST", "right", "allowed"],
    ["a trusted proxy", PROXIED, "GET", "none", "TOKEN_REQUIRED"],
    ["a trusted proxy", PROXIED, "GET", "right", "allowed"],
  ] as const)("on %s: %j %s with token %s is %s", (_where, rules, method, token, expected) => {
    expect(codeOf(rules, { method, token })).toBe(expected);
  });

  it.each([
    ["GET", "allowed"],
    ["HEAD", "allowed"],
    ["POST", "TOKEN_READ_ONLY"],
    ["DELETE", "TOKEN_READ_ONLY"],
    ["OPTIONS", "TOKEN_READ_ONLY"],
  ])("a token that may only read: %s is %s", (method, expected) => {
    for (const rules of [LOOPBACK, PUBLIC, PROXIED]) {
      expect(codeOf(rules, { method, token: "right", readsAs: "finance" })).toBe(expected);
    }
  });

  it("a request that came through a proxy needs the token on loopback too", () => {
    expect(codeOf(LOOPBACK, { isForwarded: true })).toBe("TOKEN_REQUIRED");
    expect(codeOf(NO_TOKEN, { isForwarded: true })).toBe("TOKEN_NOT_SET");
    expect(codeOf(LOOPBACK, { isForwarded: true, token: "right" })).toBe("allowed");
  });

  it.each(["localhost", "LOCALHOST:8403", "127.0.0.1", "127.8.9.1:1", "[::1]:8403", "localhost:9000"])(
    "without a token, %s is this machine",
    (host) => {
      expect(codeOf(LOOPBACK, { host })).toBe("allowed");
    },
  );

  it.each([
    "rebound.example:8403",
    "localhost.rebound.example",
    "127.0.0.1.rebound.example",
    "user@127.0.0.1",
    "rebound.example/127.0.0.1",
    "localhost, rebound.example",
    "10.0.0.1",
    "",
    undefined,
  ])("without a token, a page whose name was made to point here is refused: %j", (host) => {
    expect(codeOf(LOOPBACK, { host })).toBe("HOST_REFUSED");
    expect(codeOf(LOOPBACK, { host, token: "right" })).toBe("allowed");
  });

  it.each([
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "http://127.0.0.1:8404" },
    { origin: "http://127.0.0.1:8403, https://evil.example" },
    { origin: "file://" },
    { fetchSite: "cross-site", fetchMode: "cors" },
    { fetchSite: "cross-site", fetchMode: "no-cors" },
    { fetchSite: "same-site", fetchMode: "cors" },
  ])("a page of another origin is refused, even with the token: %j", (headers) => {
    for (const method of ["GET", "POST"]) {
      expect(codeOf(LOOPBACK, { method, token: "right", ...headers })).toBe("ORIGIN_REFUSED");
      expect(codeOf(LOOPBACK, { method, ...headers })).toBe("ORIGIN_REFUSED");
    }
  });

  it("a form of another page that navigates here is refused, a link that a person follows is not", () => {
    const link = { fetchSite: "cross-site", fetchMode: "navigate" };
    expect(codeOf(LOOPBACK, { ...link, method: "POST", token: "right" })).toBe("ORIGIN_REFUSED");
    expect(codeOf(LOOPBACK, link)).toBe("allowed");
  });

  it("a page of the service itself is of its own origin, also behind a proxy that ends TLS", () => {
    const own = { method: "POST", token: "right", fetchSite: "same-origin" } as const;
    expect(codeOf(LOOPBACK, { ...own, origin: "http://127.0.0.1:8403" })).toBe("allowed");
    expect(
      codeOf(PROXIED, { ...own, origin: "https://licet.example", publicHost: "licet.example", host: "10.0.0.1" }),
    ).toBe("allowed");
    expect(codeOf(PROXIED, { ...own, origin: "https://licet.example", publicHost: "licet.example:443" })).toBe(
      "allowed",
    );
  });
});
