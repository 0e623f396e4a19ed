/** How many messages a worker sends for a page of a whole run. The clock moves only when nothing else can go on, so the number does not depend on the machine. */
import { afterAll, expect, test } from "vitest";
import { createFaultPoint } from "./fault.ts";
import { TIGHT_PLAN } from "./plans.ts";
import { WAY_FAULTS } from "./service-way.ts";
import { createNthWorld, removeTemplate, type WorldPlan } from "./world.ts";

afterAll(removeTemplate);

const PAGES = 120;
const SHOP = "https://shop.example";

/** Each place has one page at a time, so calls find little company: with less latency, or more places, a page takes fewer messages. */
const LARGE_PLAN: WorldPlan = {
  sites: [
    {
      kind: "pages",
      host: "shop.example",
      pages: Array.from({ length: PAGES }, (_, number) => ({
        url: `${SHOP}/${number}`,
        lastMod: new Date(Date.UTC(2026, 9, 1, number)).toISOString(),
        title: `Page ${number}`,
        markdown: `# ${number}\n\nThis is page ${number}.`,
        rates: [{ priceMicros: 1_000 }],
      })),
    },
  ],
  config: {
    ...TIGHT_PLAN.config,
    budgets: [{ scope: "all", limit: "1 USD" }],
    policies: { standard: { rules: [{ allow: {} }] } },
    reporting: { batchSize: 100 },
  },
  hasLargeBatches: true,
};

test("a page of a whole run takes its worker about one message", async () => {
  const [{ spoil }] = WAY_FAULTS as [(typeof WAY_FAULTS)[number]];
  const requests = createFaultPoint(Number.POSITIVE_INFINITY, "single");
  const world = await createNthWorld(LARGE_PLAN, { way: { spoil, requests } });
  try {
    expect(await world.inProcess((licet) => licet.run())).toMatchObject({ state: "completed" });
    expect(world.sandbox.audit().charges).toHaveLength(PAGES);
  } finally {
    await world.close();
  }
  const messages = requests.seen.filter((name) => name.startsWith("messages ")).length;
  console.info(`messages of a worker: ${messages} for ${PAGES} pages`);
  // None would be a service that buys itself.
  expect(messages).toBeGreaterThan(PAGES / 4);
  expect(messages).toBeLessThanOrEqual(PAGES);
});
