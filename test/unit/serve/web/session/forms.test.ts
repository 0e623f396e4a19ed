/** What a route of a page gets of a form, whatever the route: a route need not remember to check it. */
import fastify from "fastify";
import { afterAll, expect, it } from "vitest";
import { parseConfig } from "../../../../../src/config/load-config.ts";
import { addAuth } from "../../../../../src/serve/http/auth.ts";
import { createKeys } from "../../../../../src/serve/http/keys.ts";
import { addProblems } from "../../../../../src/serve/http/problem.ts";
import { takeForms } from "../../../../../src/serve/web/session/forms.ts";
import { systemClock } from "../../../../../src/time/clock.ts";

const ANNA = { name: "anna", token: "the-token-of-anna-000001", can: "act" } as const;
const FINANCE = { name: "finance", token: "the-token-of-finance-001", can: "read" } as const;

const config = parseConfig(
  {
    gateway: { baseUrl: "http://127.0.0.1:1", service: "Service", apiKey: "k", agentId: "a", userAgent: "a/1" },
    budgets: [],
    policies: {},
    sites: [],
    serve: { tokens: [ANNA, FINANCE] },
  },
  { cwd: "/", env: {} },
);
const log = { debug: () => {}, info: () => {}, warn: () => {} };
const keys = createKeys({ config, log, resources: { clock: systemClock } });
const app = fastify();
addProblems(app, log);
addAuth(app, { config }, keys);
app.register(async (scope) => {
  takeForms(scope);
  scope.post("/sites/:host/pause", async ({ body, tokenName }) => ({ body, tokenName }));
});

afterAll(() => app.close());

const post = async (cookie: string | null, fields: Record<string, string>, headers: Record<string, string> = {}) => {
  const type = { "content-type": "application/x-www-form-urlencoded", host: "127.0.0.1" };
  const answer = await app.inject({
    method: "POST",
    url: "/sites/news.example/pause",
    headers: { ...type, ...(cookie === null ? {} : { cookie: `licet=${cookie}` }), ...headers },
    payload: String(new URLSearchParams(fields)),
  });
  return { status: answer.statusCode, ...answer.json() };
};
const sessionOf = (token: typeof ANNA | typeof FINANCE) => {
  const cookie = keys.sessions.begin(token);
  return { cookie, form: keys.sessions.read(cookie)?.formToken ?? "" };
};

it("takes a form of the session, with who sent it", async () => {
  const { cookie, form } = sessionOf(ANNA);
  expect(await post(cookie, { form, reason: "a wrong list" })).toMatchObject({
    status: 200,
    body: { reason: "a wrong list" },
    tokenName: "anna",
  });
});

it("refuses a form without its token, with that of another session, and with that of another person", async () => {
  const { cookie } = sessionOf(ANNA);
  for (const form of ["", "x", sessionOf(ANNA).form, sessionOf(FINANCE).form]) {
    expect(await post(cookie, { form })).toMatchObject({ status: 403, code: "FORM_REFUSED" });
  }
  expect(await post(cookie, {})).toMatchObject({ status: 403, code: "FORM_REFUSED" });
});

it("refuses who may only read, whatever the form, and who has no session", async () => {
  const { cookie, form } = sessionOf(FINANCE);
  expect(await post(cookie, { form })).toMatchObject({ status: 403, code: "TOKEN_READ_ONLY" });
  expect(await post(null, { form })).toMatchObject({ status: 401, code: "TOKEN_REQUIRED" });
});

it("refuses a token in a header: a program has the API", async () => {
  const answer = await post(null, { form: "" }, { authorization: `Bearer ${ANNA.token}` });
  expect(answer).toMatchObject({ status: 403, code: "FORM_REFUSED" });
});

it("refuses a page of another origin, also with everything right", async () => {
  const { cookie, form } = sessionOf(ANNA);
  for (const headers of [{ origin: "https://evil.example" }, { origin: "null" }, { "sec-fetch-site": "cross-site" }]) {
    expect(await post(cookie, { form }, headers)).toMatchObject({ status: 403, code: "ORIGIN_REFUSED" });
  }
});
