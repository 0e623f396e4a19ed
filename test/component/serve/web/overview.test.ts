/** The overview of a service that has bought something: its numbers are those of the commands beside it, and a run draws it again. */
import { request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";

const TOKEN = "the-token-of-the-service";

let world: ServiceWorld;

beforeAll(async () => {
  world = await createServiceWorld({
    sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 3, bodyBytes: 200 }] },
    config: {
      budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
      sites: [{ host: "news.example", policy: "standard" }],
      serve: { port: 0, token: TOKEN },
    },
  });
});

afterAll(() => world.close());

const look = async () => (await world.call("GET", "/", { headers: { accept: "text/html" } })).text;

it("says what to do first on a new ledger, then shows what was bought, and tells the page of it", async () => {
  expect(await look()).toContain("There was no run yet.");
  const told = nextLine("event: changed");
  await told.isOpen;
  const begun = await world.call("POST", "/api/v1/runs", { headers: { authorization: `Bearer ${TOKEN}` }, body: {} });
  expect(begun.status).toBe(202);
  await told.line;
  const agent = await world.openAgent();
  await expect.poll(async () => (await agent.runStatus(begun.json.runId)).state).toBe("completed");
  const page = await look();
  const { budgets, runs } = await agent.status();
  expect(page).toContain(`value="${budgets[0]?.balance?.settledMicros}" data-currency="USD"`);
  expect(page).toContain(`href="/runs/${runs[0]?.runId}"`);
});

/** Follows `/live` until it sends this line. */
function nextLine(wanted: string) {
  let open = () => {};
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  const line = new Promise<void>((resolve, reject) => {
    const sent = request(`${world.service.url}/live`, { agent: false }, (answer) => {
      let text = "";
      answer.on("data", (chunk: Buffer) => {
        open();
        text += chunk;
        if (text.includes(wanted)) {
          sent.destroy();
          resolve();
        }
      });
    });
    sent.on("error", (error) => (sent.destroyed ? undefined : reject(error)));
    sent.end();
  });
  return { isOpen, line };
}
