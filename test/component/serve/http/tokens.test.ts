/** Tokens with names and rights: who may only read changes nothing, and who decides is known by name. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";

const TOKENS = {
  "serve.token": "the-token-without-a-name",
  finance: "the-token-of-finance-0001",
  anna: "the-token-of-anna-000001",
} as const;
const RUN = "/api/v1/runs/run_0mi5c2k1x8f3a2b4c5d6";

let world: ServiceWorld;
const ask = (who: keyof typeof TOKENS | null, method: string, path: string, body?: unknown) =>
  world.call(method, path, { body, headers: who === null ? {} : { authorization: `Bearer ${TOKENS[who]}` } });

beforeAll(async () => {
  world = await createServiceWorld({
    sandbox: { sites: [] },
    config: {
      sites: [],
      serve: {
        host: "0.0.0.0",
        port: 0,
        token: TOKENS["serve.token"],
        tokens: [
          { name: "finance", token: TOKENS.finance },
          { name: "anna", token: TOKENS.anna, can: "act" },
        ],
      },
    },
  });
});

afterAll(() => world.close());

describe("a service with several tokens", () => {
  it.each(["finance", "anna", "serve.token"] as const)("lets %s read", async (who) => {
    for (const path of ["/api/v1/status", "/api/v1/log", "/metrics", "/api/v1/openapi.json"]) {
      expect((await ask(who, "GET", path)).status).toBe(200);
    }
  });

  it.each([
    ["POST", "/api/v1/runs"],
    ["POST", `${RUN}/stop`],
    ["POST", `${RUN}/cancel`],
    ["POST", "/api/v1/report"],
    ["POST", "/api/v1/fetch"],
    ["POST", "/api/v1/open-items/1/close"],
    ["DELETE", "/api/v1/runs"],
    ["POST", "/nothing"],
  ])("refuses %s %s to a token that may only read, and says so", async (method, path) => {
    const answer = await ask("finance", method, path);
    expect(answer).toMatchObject({ status: 403, json: { code: "TOKEN_READ_ONLY", status: 403 } });
    expect(answer.json.detail).toContain("finance may only read");
    expect(answer.text).not.toContain(TOKENS.finance);
  });

  it.each(["anna", "serve.token"] as const)("lets %s act", async (who) => {
    expect(await ask(who, "POST", `${RUN}/cancel`, {})).toMatchObject({ status: 404, json: { code: "RUN_NOT_FOUND" } });
  });

  it("refuses what is none of them, and nothing", async () => {
    expect(await ask(null, "GET", "/api/v1/status")).toMatchObject({ status: 401, json: { code: "TOKEN_REQUIRED" } });
    for (const authorization of [`Bearer ${TOKENS.anna}x`, "Bearer ", "Bearer", `Basic ${TOKENS.anna}`]) {
      expect((await world.call("GET", "/api/v1/status", { headers: { authorization } })).status).toBe(401);
    }
  });

  it("writes none of them to its log", () => {
    const lines = world.logged.join("\n");
    expect(Object.values(TOKENS).filter((token) => lines.includes(token))).toEqual([]);
  });
});

describe("what a token decides", () => {
  it("is kept under its name, with the reason of the request", async () => {
    const ledger = await (await import("../../../../src/ledger/sqlite/open.ts")).openSqliteLedger({
      path: world.ledgerFile,
    });
    const { toSpec } = await import("../../../doubles/ledger-steps.ts");
    await ledger.createRun(toSpec({ runId: "run_left" }));
    await ledger.close();
    const answer = await ask("anna", "POST", "/api/v1/runs/run_left/cancel", { reason: "a wrong list" });
    expect(answer).toMatchObject({ status: 200, json: { state: "cancelled" } });
    const { json } = await ask("finance", "GET", "/api/v1/log");
    expect(json.acts).toMatchObject([{ kind: "run_cancelled", by: "anna", reason: "a wrong list", runId: "run_left" }]);
  });
});
