/** `/live`: how many pages are told that something happened, and what becomes of the others. */
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";

const ANNA = { authorization: "Bearer the-token-of-anna" };
const BEN = { authorization: "Bearer the-token-of-ben" };
/** Of one token. */
const MOST = 25;

let world: ServiceWorld;
const open: ClientRequest[] = [];

beforeAll(async () => {
  world = await createServiceWorld({
    sandbox: { sites: [] },
    config: {
      sites: [],
      serve: {
        port: 0,
        tokens: [
          { name: "anna", token: "the-token-of-anna" },
          { name: "ben", token: "the-token-of-ben" },
        ],
      },
    },
  });
});
afterEach(() => {
  for (const each of open.splice(0)) {
    each.destroy();
  }
});
afterAll(() => world.close());

/** Follows `/live`, and does not stop. */
const follow = (headers: Record<string, string>) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(`${world.service.url}/live`, { agent: false, headers }, resolve);
    open.push(sent.on("error", reject).on("close", () => sent.off("error", reject).on("error", () => {})));
    sent.end();
  });

it("refuses the page of a token that has very many, says so, and shows it all the same; other tokens have their own", async () => {
  for (let each = 0; each < MOST; each += 1) {
    expect((await follow(ANNA)).statusCode).toBe(200);
  }
  const refused = await world.call("GET", "/live", { headers: ANNA });
  expect(refused).toMatchObject({ status: 503, json: { code: "SERVICE_BUSY" } });
  expect(refused.json.detail).toContain("pages of one token");
  expect((await world.call("GET", "/", { headers: { ...ANNA, accept: "text/html" } })).status).toBe(200);
  expect((await follow(BEN)).statusCode).toBe(200);

  open.shift()?.destroy();
  await expect.poll(async () => (await follow(ANNA)).statusCode).toBe(200);
});
