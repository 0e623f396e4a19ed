/** A gateway, or a proxy before it, that does not deliver what was ordered: what people and cron jobs see of it. */
import { afterEach, describe, expect, test } from "vitest";
import { FIRST_PAGES } from "../../src/pipeline/acquire/slow-start.ts";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE, PRICE_MICROS } from "../doubles/cli-world.ts";
import { startTwistingProxy, type Twist, type TwistingProxy } from "./twisting-proxy.ts";

const PAGES = 40;
const INCOMPLETE = 4;

let world: CliWorld;
let proxy: TwistingProxy;
afterEach(async () => {
  await world.close();
  await proxy.close();
});

async function open(twist: Twist): Promise<void> {
  world = await createCliWorld({ sites: [newsSite(PAGES)], rates: ONE_PRICE });
  proxy = await startTwistingProxy(world.sandbox.url);
  proxy.twist = twist;
  await world.configure({ gateway: { baseUrl: proxy.url } });
}

const rewrite = (
  change: (content: Parameters<Extract<Twist, { kind: "rewrite" }>["rewrite"]>[0]) => unknown,
): Twist => ({
  kind: "rewrite",
  rewrite: change,
});
const priced = (priceMicros: unknown, currency = "USD") =>
  rewrite((answer) => ({ ...answer, rate: { ...answer.rate, price: { priceMicros, currency } } }));
const licensed = (license: Record<string, unknown>) =>
  rewrite((answer) => ({ ...answer, rate: { ...answer.rate, license: { ...answer.rate.license, ...license } } }));

const bookedOnce = { USD: { settledMicros: expect.any(Number), inDoubtMicros: 0, reservedMicros: 0 } };

describe("an answer that is not what was ordered", () => {
  test.each<[string, Twist, string]>([
    ["five times the quote", priced(5 * PRICE_MICROS), "overcharged"],
    ["a charge as text", priced(String(PRICE_MICROS)), "charge_unreadable"],
    ["a charge beyond belief", priced(Number.MAX_SAFE_INTEGER), "charge_unreadable"],
    ["another type of licence", licensed({ licenseType: "ON_DEMAND_FULL_USE_LICENSE" }), "license_mismatch"],
    ["another licence's id", licensed({ id: "lic-other", cuid: "lic-other" }), "license_mismatch"],
  ])("stops the site for this run and the next ones, with exit code 4: %s", async (_name, twist, stop) => {
    await open(twist);
    const first = await world.json("run");
    expect(first, first.stderr).toMatchObject({
      code: INCOMPLETE,
      value: { state: "completed", sites: [{ stop }], spend: bookedOnce },
    });
    expect((first.value as { warnings: string[] }).warnings.join()).toContain(stop);
    const bought = proxy.contents;
    expect(bought).toBeLessThanOrEqual(FIRST_PAGES);

    // A correct answer now would prove nothing: no person has checked the item.
    proxy.twist = null;
    const second = await world.json("run");
    expect(second).toMatchObject({ code: INCOMPLETE, value: { sites: [{ stop, bought: 0 }] } });
    expect((second.value as { warnings: string[] }).warnings.join()).toContain(stop);
    expect(proxy.contents).toBe(bought);
    expect((await world.json("plan")).value).toMatchObject({
      pages: { approved: 0 },
      sites: [{ warning: expect.stringContaining("Nothing is bought from this site") }],
    });
    expect((await world.json("status")).value).toMatchObject({
      openItems: expect.arrayContaining([expect.objectContaining({ kind: stop, host: "news.example" })]),
    });
    expect((await world.json("audit")).value).toMatchObject({ violations: [] });
  });
});

describe("a proxy before the gateway", () => {
  test("that redirects leaves no page in doubt: each is requested once, and the site is stopped", async () => {
    await open({ kind: "instead", status: 302, headers: { location: "https://login.example/sign-in" } });
    const run = await world.json("run");
    expect(run).toMatchObject({
      code: INCOMPLETE,
      value: {
        pages: { inDoubt: 0, bought: 0 },
        sites: [{ stop: "redirected", stopDetail: expect.stringContaining("Set gateway.baseUrl") }],
      },
    });
    expect(proxy.contents).toBeLessThanOrEqual(FIRST_PAGES);
    proxy.twist = null;
    expect(await world.json("run")).toMatchObject({ code: 0, value: { pages: { bought: PAGES } } });
  });

  test("that expects the token in another header is quoted word for word, and stops the site", async () => {
    const body = JSON.stringify({ title: "Unauthorized", detail: "header Acme-Token is missing" });
    await open({ kind: "instead", status: 401, headers: { "content-type": "application/json" }, body });
    const run = await world.json("run");
    expect(run).toMatchObject({
      code: INCOMPLETE,
      value: {
        pages: { inDoubt: 0, bought: 0 },
        sites: [{ stop: "unauthorized", stopDetail: expect.stringContaining("header Acme-Token is missing") }],
        refused: expect.arrayContaining([
          expect.objectContaining({ detail: expect.stringContaining("header Acme-Token is missing") }),
        ]),
      },
    });
    const { runId, refused } = run.value as { runId: string; refused: { url: string }[] };
    expect((await world.cli("status", runId)).stdout).toContain("header Acme-Token is missing");
    expect((await world.cli("explain", refused[0]?.url ?? "")).stdout).toContain("header Acme-Token is missing");
    expect(proxy.contents).toBeLessThan(2 * FIRST_PAGES + 2);
  });

  test("that removes the content of every page is noticed after a streak", async () => {
    await open(rewrite((answer) => ({ ...answer, content: { ...answer.content, body: "" } })));
    const run = await world.json("run");
    expect(run).toMatchObject({
      code: INCOMPLETE,
      value: { sites: [{ stop: "empty_content", empty: proxy.contents }] },
    });
    expect(proxy.contents).toBeLessThan(2 * FIRST_PAGES + 2);
    expect((run.value as { warnings: string[] }).warnings.join()).toContain("without content");
    await world.configure({ gateway: { baseUrl: proxy.url }, content: { minBytes: 0 } });
    expect(await world.json("run")).toMatchObject({ code: 0, value: { sites: [{ stop: null, empty: 0 }] } });
  });
});
