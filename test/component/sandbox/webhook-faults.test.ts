import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { signUrl } from "../../../src/sandbox/webhooks/send-delivery.ts";
import { call, createStillClock, KEY, PAGE_URL, startGateway } from "./gateway-caller.ts";

const SECRET = "signing-secret";

let gateway: Sandbox;
let receiver: Server;
let clock: ReturnType<typeof createStillClock>;
/** The notifications that were taken, and the URLs of those that were not signed. */
let taken: { contentUrl: string; at: number }[];
let refused: string[];
let subscription: { id: string; url: string; secret: string };

beforeEach(async () => {
  taken = [];
  refused = [];
  clock = createStillClock();
  receiver = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("end", () => {
      const { contentUrl } = JSON.parse(Buffer.concat(chunks).toString());
      const isSigned = message.headers.authorization === signUrl(subscription);
      if (isSigned) {
        taken.push({ contentUrl, at: clock.now() });
      } else {
        refused.push(contentUrl);
      }
      response.writeHead(isSigned ? 202 : 401).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  subscription = {
    id: "main",
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
    secret: SECRET,
  };
  gateway = await startGateway({ clock, webhooks: [subscription], deliveryRetryMs: [1_000], deliveryLateMs: 60_000 });
});
afterEach(async () => {
  await gateway.close();
  await new Promise((resolve) => receiver.close(resolve));
});

const fates = () => gateway.audit().deliveries.map(({ fate, lastStatus }) => ({ fate, lastStatus }));

describe("a fault of notifications", () => {
  test("lost: nothing is sent, and the delivery record says so", async () => {
    gateway.setFaults({ "webhook-lost": 1 });
    await gateway.notify(PAGE_URL, "UPDATED");
    expect(taken).toEqual([]);
    expect(fates()).toEqual([{ fate: "lost", lastStatus: 0 }]);
    const { Items: records } = (await call(gateway, "GET", "/dev/v1/webhook/history", KEY)).json;
    expect(records).toMatchObject([{ contentUrl: PAGE_URL, eventType: "UPDATE", lastStatus: 0, numAttempts: 2 }]);
  });

  test("doubled: it is delivered twice", async () => {
    gateway.setFaults({ "webhook-doubled": 1 });
    await gateway.notify(PAGE_URL, "UPDATED");
    expect(taken.map(({ contentUrl }) => contentUrl)).toEqual([PAGE_URL, PAGE_URL]);
    expect(fates()).toEqual([{ fate: "doubled", lastStatus: 202 }]);
  });

  test("late: it is delivered after the wait", async () => {
    gateway.setFaults({ "webhook-late": 1 });
    const startedAt = clock.now();
    await gateway.notify(PAGE_URL, "UPDATED");
    expect(taken).toEqual([{ contentUrl: PAGE_URL, at: startedAt + 60_000 }]);
    expect(fates()).toEqual([{ fate: "late", lastStatus: 202 }]);
  });

  test("forged: one with a wrong signature comes too, and has no delivery record", async () => {
    gateway.setFaults({ "webhook-forged": 1 });
    await gateway.notify(PAGE_URL, "UPDATED");
    expect(taken.map(({ contentUrl }) => contentUrl)).toEqual([PAGE_URL]);
    expect(refused).toEqual(["https://news.example/forged/1"]);
    expect(gateway.audit().webhooks).toMatchObject({ delivered: 1, forged: 1, forgedTaken: 0 });
    expect((await call(gateway, "GET", "/dev/v1/webhook/history", KEY)).json.Items).toHaveLength(1);
  });

  test("replayed: one of before comes again, with its signature", async () => {
    await gateway.notify(PAGE_URL, "CREATED");
    gateway.setFaults({ "webhook-replayed": 1 });
    await gateway.notify("https://news.example/free", "CREATED");
    expect(taken.map(({ contentUrl }) => contentUrl).sort()).toEqual([PAGE_URL, PAGE_URL, "https://news.example/free"]);
    expect(gateway.audit().webhooks).toMatchObject({ delivered: 2, replayed: 1 });
    expect(gateway.audit().faults).toEqual({ "webhook-replayed": 1 });
  });

  test("is limited to notifications: the endpoints do not have it", () => {
    expect(() => gateway.setFaults({ "content:webhook-lost": 1 })).toThrow(/not known/);
    expect(() => gateway.setFaults({ "webhook:webhook-lost": 1 })).not.toThrow();
  });
});

describe("subscriptions at run time", () => {
  const control = (method: string, path: string, body?: object) =>
    call(
      gateway,
      method,
      `/__sandbox/${path}`,
      { "Content-Type": "application/json" },
      body === undefined ? undefined : JSON.stringify(body),
    );

  test("are added, listed without their secrets, and removed", async () => {
    const added = await control("POST", "subscriptions", {
      url: subscription.url,
      secret: SECRET,
      hosts: ["x.example"],
    });
    expect(added.json).toEqual({ id: "webhook-1" });
    expect((await control("GET", "subscriptions")).json).toEqual({
      subscriptions: [
        { id: "main", url: subscription.url },
        { id: "webhook-1", url: subscription.url, hosts: ["x.example"] },
      ],
    });
    expect((await control("DELETE", "subscriptions?id=main")).status).toBe(200);
    gateway.updatePage({ url: PAGE_URL, markdown: "# Changed" });
    await gateway.webhooksSettled();
    expect(taken).toEqual([]);
  });

  test.each([
    [{ url: "ftp://x.example/", secret: "s" }, /url/],
    [{ url: "http://x.example/" }, /secret/],
    [{ url: "http://x.example/", secret: "s", encoding: "rot13" }, /encoding/],
    [{ url: "http://x.example/", secret: "s", colour: "red" }, /colour/],
    [{ id: "main", url: "http://x.example/", secret: "s" }, /exists already/],
  ])("are refused with the reason: %j", async (body, reason) => {
    const answer = await control("POST", "subscriptions", body);
    expect(answer.status).toBe(400);
    expect(answer.json.detail).toMatch(reason);
  });

  test("one that is not there cannot be removed", async () => {
    const answer = await control("DELETE", "subscriptions?id=x");
    expect(answer.status).toBe(400);
    expect(answer.json.detail).toMatch(/there are main/);
  });
});

describe("publishing by itself", () => {
  test("creates pages, updates older ones, and notifies the subscribers", async () => {
    const published = await startGateway({ webhooks: [subscription], publishEveryMs: 1, deliveryRetryMs: [] });
    try {
      await expect.poll(() => published.audit().deliveries.length).toBeGreaterThanOrEqual(6);
    } finally {
      await published.close();
    }
    const first = published.audit().deliveries.slice(0, 6);
    expect(first.map(({ notificationType, contentUrl }) => [notificationType, new URL(contentUrl).pathname])).toEqual([
      ["CREATED", "/dispatches/1"],
      ["CREATED", "/dispatches/2"],
      ["UPDATED", "/dispatches/2"],
      ["CREATED", "/dispatches/3"],
      ["CREATED", "/dispatches/4"],
      ["UPDATED", "/dispatches/3"],
    ]);
  });

  test("is refused where no page can be changed", async () => {
    const sites = [{ kind: "synthetic", host: "big.example", pages: 5 }] as const;
    await expect(startGateway({ sites, publishEveryMs: 10 })).rejects.toThrow(/no site to publish on/);
  });
});
