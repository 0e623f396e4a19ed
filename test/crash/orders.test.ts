/** Real processes that buy from the best page down, killed while they quote, decide and buy: what they buy in the end is what an order buys. */
import { afterEach, expect, test, vi } from "vitest";
import { createRandom } from "../../src/sandbox/random.ts";
import { killAt, LEDGER_MOMENTS } from "./crash-order.ts";
import { CRASH_TIMEOUT_MS, type CrashWorld, createCrashWorld } from "./crash-world.ts";
import { chooseOne, KILL_SEED } from "./kill-seed.ts";

vi.setConfig({ testTimeout: CRASH_TIMEOUT_MS });

const PAGES = 40;
const STEP = 1_000;
const HOSTS = ["a.example", "b.example"];

let world: CrashWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

test.each(chooseOne([["newest"], ["cheapest"], ["value"]] as const))(
  `under %s, a run that is killed while it quotes, decides and buys ends within its budget, with each page bought once and nothing left that fits (LICET_KILL_SEED=${KILL_SEED})`,
  async (order) => {
    const random = createRandom(KILL_SEED);
    const draw = (min: number, max: number) => min + Math.floor(random() * (max - min + 1));
    const prices = new Map<string, number>(
      HOSTS.flatMap((host) =>
        Array.from({ length: PAGES }, (_, index) => [`https://${host}/${index}`, draw(1, 15) * STEP] as const),
      ),
    );
    const limit = Math.floor([...prices.values()].reduce((sum, price) => sum + price, 0) / 3);
    const opened = await createCrashWorld({
      sandbox: {
        sites: HOSTS.map((host) => ({
          kind: "pages",
          host,
          pages: [...prices]
            .filter(([url]) => new URL(url).host === host)
            .map(([url, priceMicros]) => ({ url, markdown: url, rates: [{ priceMicros }] })),
        })),
        latencyMs: 6,
      },
      config: {
        gateway: { concurrency: 4, quoteBatchSize: 6, catalogPageSize: 20 },
        run: { order },
        budgets: [{ scope: "all", per: "total", limit: `${limit / 1_000_000} USD` }],
        policies: { standard: { rules: [{ allow: { urls: ["/*5"], value: 9 } }, { allow: { value: 2 } }] } },
        sites: HOSTS.map((host) => ({ host, policy: "standard" })),
      },
    });
    world = opened;
    const steps = [
      ["recordCandidates", draw(1, 8)],
      ["decideCandidates", 1],
      ["startPurchase", draw(1, 6)],
      ["settlePurchase", draw(1, 6)],
    ] as const;
    for (const [step, nth] of steps) {
      const moment = LEDGER_MOMENTS[draw(0, LEDGER_MOMENTS.length - 1)] ?? "before";
      const { signal, stdout, stderr } = await opened.crawl(killAt(step, moment, nth));
      expect(signal, `${step} (${moment}) was not reached:\n${stdout}\n${stderr}`).toBe("SIGKILL");
    }
    await opened.settle({ charges: null });
    const { charges } = opened.sandbox.audit();
    expect(new Set(charges.map(({ url }) => url)).size).toBe(charges.length);
    const left = limit - charges.reduce((sum, { priceMicros }) => sum + priceMicros, 0);
    expect(left).toBeGreaterThanOrEqual(0);
    for (const { url } of charges) {
      prices.delete(url);
    }
    expect([...prices].filter(([, price]) => price <= left)).toEqual([]);
  },
);
