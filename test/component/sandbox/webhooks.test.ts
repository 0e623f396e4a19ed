import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { call, createStillClock, KEY, PAGE_URL, startGateway } from "./gateway-caller.ts";

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: the payload is looked at field by field.
  readonly payload: any;
}

const SECRET = "signing-secret";
const DAY_MS = 86_400_000;

let gateway: Sandbox;
let clock: ReturnType<typeof createStillClock>;
let receiver: Server;
let deliveries: Delivery[];
/** What the receiver answers, one after the other; then 200. 0: it cuts the connection. */
let statuses: number[];
let url: string;

beforeEach(async () => {
  deliveries = [];
  statuses = [];
  receiver = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("end", () => {
      deliveries.push({ headers: message.headers, payload: JSON.parse(Buffer.concat(chunks).toString()) });
      const status = statuses.shift() ?? 200;
      if (status === 0) {
        message.socket.resetAndDestroy();
      } else {
        response.writeHead(status).end();
      }
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?x=1`;
  clock = createStillClock();
  gateway = await startGateway({
    clock,
    webhooks: [{ id: "sub-1", url, secret: SECRET }],
    deliveryRetryMs: [1_000, 5_000],
    deliveryAgent: "gateway-bot/1.0",
  });
});
afterEach(async () => {
  await gateway.close();
  await new Promise((resolve) => receiver.close(resolve));
});

const history = (query = "") => call(gateway, "GET", `/dev/v1/webhook/history${query}`, KEY);

describe("a notification", () => {
  test("of a new page is signed over the delivery URL and nothing else", async () => {
    gateway.addPage({ url: "https://news.example/new", markdown: "# New" });
    await gateway.webhooksSettled();
    expect(deliveries).toHaveLength(1);
    expect(deliveries[0]?.headers).toMatchObject({
      authorization: createHmac("sha256", SECRET).update(url).digest("hex"),
      "user-agent": "gateway-bot/1.0",
      "content-type": "application/json",
    });
    expect(deliveries[0]?.payload).toEqual({
      sourceCuid: expect.any(String),
      sourceHost: "news.example",
      contentUrl: "https://news.example/new",
      timestamp: expect.stringMatching(/^2026-01-10T00:00:00\.000000000Z$/),
      notificationType: "CREATED",
    });
  });

  test("of a changed page says UPDATED, its record UPDATE", async () => {
    gateway.updatePage({ url: PAGE_URL, markdown: "# Changed" });
    await gateway.webhooksSettled();
    expect(deliveries[0]?.payload.notificationType).toBe("UPDATED");
    expect((await history()).json.Items).toEqual([
      {
        subscriptionId: "sub-1",
        contentUrl: PAGE_URL,
        deliveryUrl: url,
        eventType: "UPDATE",
        lastAttempt: "2026-01-10T00:00:00.000Z",
        lastStatus: 200,
        numAttempts: 1,
      },
    ]);
  });

  test("is sent again until the receiver accepts it", async () => {
    statuses = [500, 0];
    expect(await gateway.notify(PAGE_URL, "CREATED")).toMatchObject([{ lastStatus: 200, numAttempts: 3 }]);
    expect(deliveries).toHaveLength(3);
    expect(deliveries[2]?.payload).toEqual(deliveries[0]?.payload);
  });

  test("is not sent again after the last wait", async () => {
    statuses = [503, 404, 410, 200];
    expect(await gateway.notify(PAGE_URL, "CREATED")).toMatchObject([{ lastStatus: 410, numAttempts: 3 }]);
    expect((await history()).json.Items).toMatchObject([{ lastStatus: 410, numAttempts: 3 }]);
  });

  test("goes only to the subscribers of its host, signed as each of them requires", async () => {
    gateway.subscribe({ id: "other", url, secret: "x", hosts: ["other.example"] });
    gateway.subscribe({
      id: "base64",
      url,
      secret: SECRET,
      encoding: "base64",
      prefix: "sha256=",
      hosts: ["news.example"],
    });
    const records = await gateway.notify(PAGE_URL, "UPDATED");
    expect(records.map(({ subscriptionId }) => subscriptionId)).toEqual(["sub-1", "base64"]);
    const signature = createHmac("sha256", SECRET).update(url).digest("base64");
    expect(deliveries.map(({ headers }) => headers.authorization)).toContain(`sha256=${signature}`);
  });
});

describe("the history", () => {
  beforeEach(async () => {
    for (let day = 0; day < 27; day += 1) {
      await gateway.notify(PAGE_URL, "CREATED");
      clock.move(DAY_MS);
    }
  });

  test("shows 25 records, newest first, and a token for the rest", async () => {
    const first = (await history()).json;
    expect(first.Items).toHaveLength(25);
    expect(first.Items[0].lastAttempt > first.Items[1].lastAttempt).toBe(true);
    const rest = (await history(`?next-token=${first.nextToken}`)).json;
    expect(rest.Items).toHaveLength(2);
    expect(rest).not.toHaveProperty("nextToken");
  });

  test("shows each record once, also when new ones arrive in between", async () => {
    const first = (await history("?size=10")).json;
    await gateway.notify(PAGE_URL, "UPDATED");
    const second = (await history(`?size=1000&next-token=${first.nextToken}`)).json;
    const attempts = [...first.Items, ...second.Items].map(({ lastAttempt }: { lastAttempt: string }) => lastAttempt);
    expect(new Set(attempts).size).toBe(27);
  });

  test("looks back for the requested number of days", async () => {
    expect((await history("?days-ago=3")).json.Items).toHaveLength(3);
    expect((await history("?days-ago=0")).json).toEqual({ Items: [] });
  });

  test.each(["size=0", "size=1001", "size=x", "days-ago=-1", "days-ago=x", "next-token=abc"])(
    "refuses %s",
    async (query) => {
      expect((await history(`?${query}`)).status).toBe(400);
    },
  );

  test("accepts the largest size and needs a key", async () => {
    expect((await history("?size=1000")).json.Items).toHaveLength(27);
    expect((await call(gateway, "GET", "/dev/v1/webhook/history")).status).toBe(401);
  });
});
