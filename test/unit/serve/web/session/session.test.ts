import { expect, it } from "vitest";
import { createTokens } from "../../../../../src/serve/http/tokens.ts";
import { createSessions, SESSION_MS } from "../../../../../src/serve/web/session/session.ts";

const ANNA = { name: "anna", token: "the-token-of-anna-0001", can: "act" } as const;
const FINANCE = { name: "finance", token: "the-token-of-finance", can: "read" } as const;

let now = Date.UTC(2026, 10, 20);
const sessionsWith = (...tokens: (typeof ANNA | typeof FINANCE | { name: string; token: string; can: "act" })[]) =>
  createSessions(createTokens({ token: null, tokens }), () => now);

it("survives a restart, with the right of its token and a form token of its own", () => {
  const cookie = sessionsWith(ANNA, FINANCE).begin(FINANCE);
  const afterRestart = sessionsWith(FINANCE, ANNA).read(cookie);
  expect(afterRestart).toEqual({ name: "finance", can: "read", formToken: expect.any(String) });
  expect(cookie).not.toContain(FINANCE.token);
  expect(cookie).not.toContain(afterRestart?.formToken);
});

it("ends with its token: when it is removed, and when another one has its name", () => {
  const cookie = sessionsWith(ANNA).begin(ANNA);
  expect(sessionsWith(FINANCE).read(cookie)).toBeNull();
  expect(sessionsWith({ ...ANNA, token: "another-token-of-anna" }).read(cookie)).toBeNull();
});

it("ends after seven days", () => {
  const sessions = sessionsWith(ANNA);
  const cookie = sessions.begin(ANNA);
  now += SESSION_MS - 1;
  expect(sessions.read(cookie)).not.toBeNull();
  now += 1;
  expect(sessions.read(cookie)).toBeNull();
});

it("is refused with any of its characters changed, and with the name of another token", () => {
  const sessions = sessionsWith(ANNA, FINANCE);
  const cookie = sessions.begin(FINANCE);
  for (let at = 0; at < cookie.length; at += 1) {
    const changed = `${cookie.slice(0, at)}${cookie[at] === "A" ? "B" : "A"}${cookie.slice(at + 1)}`;
    expect(sessions.read(changed), changed).toBeNull();
  }
  const [, ...rest] = cookie.split(".");
  expect(sessions.read([Buffer.from("anna").toString("base64url"), ...rest].join("."))).toBeNull();
  expect(["", ".", "a.b.c.d", cookie.slice(0, -1), `${cookie}x`].map((text) => sessions.read(text))).toEqual(
    Array(5).fill(null),
  );
});

it("is another one with each login, and so is its form token", () => {
  const sessions = sessionsWith(ANNA);
  const [one, other] = [sessions.begin(ANNA), sessions.begin(ANNA)];
  expect(one).not.toBe(other);
  expect(sessions.read(one)?.formToken).not.toBe(sessions.read(other)?.formToken);
});
