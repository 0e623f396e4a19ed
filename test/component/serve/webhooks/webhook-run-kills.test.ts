import { afterEach, expect, it } from "vitest";
import type { Ledger } from "../../../../src/ledger/ledger.ts";
import { ONE_PRICE } from "../../../doubles/cli-world.ts";
import { createHint } from "../../../doubles/hint-driver.ts";
import { BUDGET, createRunWorld, type RunWorld } from "../runs/run-world.ts";

const PAGES = ["/articles/0000000", "/articles/0000001", "/articles/0000002"];
/** Calls of the ledger, from before the run begins to its end. */
const KILLS = Array.from({ length: 8 }, (_, index) => 5 + index * 5);

let world: RunWorld;
afterEach(() => world.close());

/** Dies at its nth call: nothing is done any more, until it is born again. */
function createMortal(): { wrap(ledger: Ledger): Ledger; dieAt(n: number): void; live(): void; hasDied(): boolean } {
  let left = Number.POSITIVE_INFINITY;
  return {
    wrap: (ledger) =>
      new Proxy(ledger, {
        get: (target, name, receiver) => {
          const method = Reflect.get(target, name, receiver);
          return typeof method !== "function"
            ? method
            : (...call: unknown[]) => {
                left -= 1;
                return left < 0 ? Promise.reject(new Error("the process is dead")) : method.apply(target, call);
              };
        },
      }),
    dieAt: (n) => {
      left = n - 1;
    },
    live: () => {
      left = Number.POSITIVE_INFINITY;
    },
    hasDied: () => left < 0,
  };
}

it("a webhook run that is killed at any call of the ledger loses no hint and buys nothing twice", async () => {
  const mortal = createMortal();
  const hosts = KILLS.map((n) => `kill-${n}.example`);
  world = await createRunWorld({
    sandbox: {
      sites: hosts.map((host) => ({ kind: "synthetic", host, pages: 3, bodyBytes: 100 })),
      rates: ONE_PRICE,
    },
    config: { budgets: [BUDGET], sites: hosts.map((host) => ({ host, policy: "standard" })) },
    adapt: (resources) => ({ ...resources, ledger: async (mode) => mortal.wrap(await resources.ledger(mode)) }),
  });
  const { resources, runs } = world;
  const ledger = await resources.ledger("create");
  const work = async (host: string) => {
    const started = await runs.start({ trigger: "webhook", hosts: [host] }).catch(() => null);
    if (started?.kind === "started") {
      await started.run.ended;
      // The run manager gives the site free right after the end.
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  let died = 0;
  for (const [index, host] of hosts.entries()) {
    const now = resources.clock.now();
    const hints = PAGES.map((path) => {
      const url = `https://${host}${path}`;
      return createHint(path, { host, url, wireUrl: url, at: now - 1_000 });
    });
    await ledger.recordHints({ hints, now });
    mortal.dieAt(KILLS[index] ?? 1);
    await work(host);
    died += mortal.hasDied() ? 1 : 0;
    mortal.live();
    await work(host);
    const [left] = (await ledger.readHintWork()).filter((open) => open.host === host);
    const { inDoubt } = await ledger.readStatus();
    const doubts = inDoubt.filter(({ url }) => url.startsWith(`https://${host}/`)).length;
    // What was sent and lost its answer is in doubt: its notification waits for the next day.
    expect({ host, waiting: left?.waiting ?? 0, entered: left?.entered ?? 0 }).toEqual({
      host,
      waiting: doubts,
      entered: 0,
    });
  }
  expect(died).toBeGreaterThan(KILLS.length / 2);
  const { pages, ok } = await readOutcome(ledger);
  expect({ pages, ok }).toEqual({ pages: hosts.length * PAGES.length, ok: true });
  expect(chargesByUrl().filter((charges) => charges > 1)).toEqual([]);
});

async function readOutcome(ledger: Ledger): Promise<{ pages: number; ok: boolean }> {
  const { pagesStored, inDoubt } = await ledger.readStatus();
  const { ok } = await ledger.audit({ budgets: [], now: world.resources.clock.now() });
  return { pages: pagesStored + inDoubt.length, ok };
}

function chargesByUrl(): number[] {
  const counts = new Map<string, number>();
  for (const { url } of world.sandbox.audit().charges) {
    counts.set(url, (counts.get(url) ?? 0) + 1);
  }
  return [...counts.values()];
}
