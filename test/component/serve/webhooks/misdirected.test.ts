/** Deliveries that somebody sends to a path that is nearly the one of a webhook. */
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";

const PATH = "/webhooks/main";
const URL_TEXT = `https://agent.example${PATH}`;
const SECRET = "the-secret-of-main";
const TOKEN = "a-long-token-nobody-guesses";
const authorization = createHmac("sha256", SECRET).update(URL_TEXT).digest("hex");
const BODY = { contentUrl: "https://news.example/a", notificationType: "UPDATED" };

let world: ServiceWorld;
beforeAll(async () => {
  world = await createServiceWorld({
    sandbox: { sites: [] },
    config: {
      sites: [],
      serve: { port: 0, token: TOKEN },
      webhooks: [{ id: "main", path: PATH, url: URL_TEXT, secret: SECRET }],
    },
  });
});
afterAll(() => world.close());

async function counted(webhook: string): Promise<number> {
  const { text } = await world.call("GET", "/metrics");
  const series = `licet_webhook_deliveries_total{webhook="${webhook}",outcome="unknown_path"} `;
  return Number(
    text
      .split("\n")
      .find((line) => line.startsWith(series))
      ?.slice(series.length) ?? Number.NaN,
  );
}

it("counts none before there was one", async () => {
  expect([await counted("main"), await counted("")]).toEqual([0, 0]);
});

it.each([
  ["a slash more", `${PATH}/`, "main"],
  ["other letters", "/Webhooks/Main", "main"],
  ["a prefix", `/licet${PATH}?secret=of-the-query`, "main"],
  ["no prefix", "/main", "main"],
  ["another path", "/elsewhere", ""],
])("answers 404 to a delivery with %s, counts it, and logs its path", async (_what, path, webhook) => {
  const before = await counted(webhook);
  const answer = await world.call("POST", path, { headers: { authorization }, body: BODY });
  expect(answer).toMatchObject({ status: 404, json: { status: 404, detail: "no webhook has this path" } });
  expect(await counted(webhook)).toBe(before + 1);
});

it("says in the log, once a minute, what came and what is configured, and nothing of the query", () => {
  const lines = world.logged.filter((line) => line.includes("unknown_path"));
  expect(lines.map((line) => JSON.parse(line).message)).toEqual([
    `a delivery to ${PATH}/ (the webhook main has the path ${PATH}) refused: unknown_path, from 127.0.0.1`,
    "a delivery to /elsewhere, which is the path of no webhook, refused: unknown_path, from 127.0.0.1",
  ]);
  expect(lines.join("")).not.toContain("of-the-query");
});

it("leaves requests with a token, and those that are not deliveries, to the check of tokens", async () => {
  const sent = (headers: Record<string, string>) => world.call("POST", `${PATH}/`, { headers, body: {} });
  expect(await sent({ authorization: "Bearer wrong" })).toMatchObject({ status: 401 });
  expect(await sent({ authorization: `Bearer ${TOKEN}` })).toMatchObject({
    status: 404,
    json: { code: "ROUTE_NOT_FOUND" },
  });
  expect(await world.call("POST", "/elsewhere", { body: {} })).toMatchObject({ status: 401 });
});
