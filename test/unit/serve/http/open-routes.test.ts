import fastify from "fastify";
import { expect, it } from "vitest";
import { parseConfig } from "../../../../src/config/load-config.ts";
import { addAuth } from "../../../../src/serve/http/auth.ts";
import { createKeys } from "../../../../src/serve/http/keys.ts";
import { addProblems } from "../../../../src/serve/http/problem.ts";
import { systemClock } from "../../../../src/time/clock.ts";

const PATH = "/webhooks/main";

it("leaves a delivery to the check of its signature, and nothing else on its path", async () => {
  const config = parseConfig(
    {
      gateway: { baseUrl: "http://127.0.0.1:1", service: "Service", apiKey: "k", agentId: "a", userAgent: "a/1" },
      budgets: [],
      policies: {},
      sites: [],
      serve: { host: "0.0.0.0", token: "a-token-of-the-service" },
      webhooks: [{ id: "main", path: PATH, url: `https://agent.example${PATH}`, secret: "webhook-secret" }],
    },
    { cwd: "/", env: {} },
  );
  const log = { debug: () => {}, info: () => {}, warn: () => {} };
  const app = fastify();
  addProblems(app, log);
  addAuth(app, { config }, createKeys({ config, log, resources: { clock: systemClock } }));
  app.all("/webhooks/:id", async () => "taken");
  app.all(PATH, async () => "taken");

  const statusOf = async (method: "POST" | "GET", url: string) => (await app.inject({ method, url })).statusCode;
  expect(await statusOf("POST", PATH)).toBe(200);
  // A sender of deliveries is not a browser, and its Host is the address of the proxy.
  expect((await app.inject({ method: "POST", url: PATH, headers: { host: "agent.example" } })).statusCode).toBe(200);
  expect(await statusOf("GET", PATH)).toBe(401);
  expect(await statusOf("POST", "/webhooks/other")).toBe(401);
  expect(await statusOf("POST", `${PATH}/`)).toBe(401);
});
