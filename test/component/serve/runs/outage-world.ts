/** A world of runs whose clock is quick, and whose queue, gateway and ledger can go away. */
import { expect } from "vitest";
import type { Resources } from "../../../../src/agent/compose.ts";
import { auditAgent } from "../../../../src/agent/reports/status-agent.ts";
import { GatewayClient } from "../../../../src/gateway/gateway-client.ts";
import type { Ledger } from "../../../../src/ledger/ledger.ts";
import { ONE_PRICE } from "../../../doubles/cli-world.ts";
import { compareAccounts, compareReports } from "../../../doubles/compare-accounts.ts";
import { createQuickClock, type QuickClock } from "../../../doubles/quick-clock.ts";
import { BUDGET, createRunWorld, type RunWorld } from "./run-world.ts";

export const HOUR_MS = 3_600_000;
export const PAGES = 30;
/** So many seconds pass in one. */
const SPEED = 100;

export interface OutageWorld extends RunWorld {
  readonly clock: QuickClock;
  /** Calls once, when the gateway gets a request with this text in its path for the n-th time. */
  atRequest(part: string, n: number, then: () => void): void;
  /** No page was charged twice or lost, each use was reported once, and the audit finds nothing. */
  expectMatchingAccounts(): Promise<void>;
}

/** @param options.openLedger @default the ledger of the configuration */
export async function createOutageWorld(
  options: {
    readonly queueUrl?: string;
    readonly bodyBytes?: number;
    /** @default PAGES */
    readonly pages?: number;
    /** @default that of the sandbox, which passes quickly here */
    readonly tokenLifeMs?: number;
    readonly openLedger?: (path: string) => Ledger;
  } = {},
): Promise<OutageWorld> {
  const { bodyBytes = 200, pages = PAGES, tokenLifeMs, openLedger } = options;
  const clock = createQuickClock(SPEED);
  const world = await createRunWorld({
    ...options,
    sandbox: {
      sites: [{ kind: "synthetic", host: "news.example", pages, bodyBytes }],
      rates: ONE_PRICE,
      ...(tokenLifeMs === undefined ? {} : { tokenLifeMs }),
    },
    config: {
      gateway: { quoteBatchSize: 3, catalogPageSize: 6, concurrency: 3 },
      budgets: [BUDGET],
      sites: [{ host: "news.example", policy: "standard" }],
    },
    adapt: (resources) => hurry(resources, { clock, openLedger: openLedger ?? null }),
  });
  return {
    ...world,
    clock,
    atRequest: (part, n, then) => {
      let count = 0;
      world.relay.onRequest((path) => {
        count += path.includes(part) ? 1 : 0;
        if (count === n) {
          count = Number.POSITIVE_INFINITY;
          then();
        }
      });
    },
    expectMatchingAccounts: async () => {
      expect(compareAccounts(world.sandbox, world.ledgerFile, { extraCharges: new Map() })).toEqual([]);
      expect(compareReports(world.sandbox, world.ledgerFile)).toEqual([]);
      expect((await auditAgent(world.resources)).violations).toEqual([]);
    },
  };
}

/** The quick clock everywhere, also in the gateway's client. */
function hurry(
  resources: Resources,
  { clock, openLedger }: { readonly clock: QuickClock; readonly openLedger: ((path: string) => Ledger) | null },
): Resources {
  const client = new GatewayClient({ ...resources.config.gateway, retries: 1, clock });
  const ledger = openLedger?.(resources.config.ledger.path) ?? null;
  return {
    ...resources,
    clock,
    gateway: async () => client,
    ledger: ledger === null ? resources.ledger : async () => ledger,
    close: async () => {
      await client.close();
      await ledger?.close();
      await resources.close();
    },
  };
}
