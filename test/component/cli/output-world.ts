/** A ledger with runs of every kind, at fixed times and under fixed ids, and the command line over it on a terminal of a given width. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { openSqliteLedger } from "../../../src/ledger/sqlite/open.ts";
import { type CliEnd, cliHere } from "../../doubles/cli-here.ts";
import { cliConfig, writeConfig } from "../../doubles/cli-process.ts";
import { buyPages, LEASE_MS, ON_DEMAND, reservePages, startPages } from "../../doubles/ledger-shop.ts";
import { begin, toSite } from "../../doubles/ledger-steps.ts";
import { copyNewLedger } from "../../doubles/new-ledger.ts";

/** Years before the tests run: every process is long gone. */
const AT = Date.UTC(2024, 2, 1, 12);
const MINUTE_MS = 60_000;
export const IDN_HOST = "xn--bcher-kva.example";
export const RUNS = {
  dear: "run_0aaaaaaaaaaaaaaaaaaa",
  doubtful: "run_0bbbbbbbbbbbbbbbbbbb",
  denied: "run_0ccccccccccccccccccc",
  left: "run_0ddddddddddddddddddd",
  dead: "run_0eeeeeeeeeeeeeeeeeee",
};
/** What a terminal acts on, in a text from the network. */
const HOSTILE_DETAIL = "401 \u001b[31mtoken\u0007 spent\u202e";
const DOUBTS = 12;

export interface OutputWorld {
  /** @param columns those of the terminal; null for a pipe */
  licet(args: readonly string[], columns: number | null, env?: Readonly<Record<string, string>>): Promise<CliEnd>;
  close(): Promise<void>;
}

export async function createOutputWorld(): Promise<OutputWorld> {
  const directory = await mkdtemp(join(tmpdir(), "licet-output-"));
  await mkdir(join(directory, "data"));
  const path = join(directory, "data", "licet.sqlite");
  await copyNewLedger(path);
  const ledger = await openSqliteLedger({ path });
  await fill(ledger);
  await ledger.close();
  const sites = ["news.example", IDN_HOST].map((host) => ({ host, policy: "standard" }));
  const budgets = [
    { scope: "all", limit: "30000 USD" },
    { scope: `site:${IDN_HOST}`, limit: "50 USD" },
    { scope: "run", limit: "20000 USD" },
  ];
  await writeConfig(directory, cliConfig("http://127.0.0.1:9", { sites, budgets }));
  return {
    licet: (args, columns, env = {}) =>
      cliHere(args, { cwd: directory, env, ...(columns === null ? {} : { isTerminal: true, columns }) }),
    close: () => rm(directory, { recursive: true, force: true }),
  };
}

async function fill(ledger: Ledger): Promise<void> {
  const dear = { runId: RUNS.dear, at: AT, priceMicros: 12_345_670_000, feeMicros: 250_000 };
  await buyPages(ledger, { ...dear, paths: ["/archive/the-whole-of-the-nineteenth-century-in-one-file", "/b"] });
  const paths = Array.from({ length: DOUBTS }, (_, index) => `/doubt-${index + 1}`);
  const doubtful = await startPages(ledger, { runId: RUNS.doubtful, at: AT + MINUTE_MS, host: IDN_HOST, paths });
  for (const { purchaseId } of doubtful) {
    const doubt = { reason: "token_spent", detail: HOSTILE_DETAIL, now: AT + MINUTE_MS } as const;
    await ledger.holdInDoubt({ purchaseId, ...doubt });
  }
  const now = AT + 2 * MINUTE_MS;
  await ledger.endRun({ runId: RUNS.doubtful, state: "failed", reason: "the gateway answered 503", now });
  await reservePages(ledger, {
    runId: RUNS.denied,
    at: AT + 3 * MINUTE_MS,
    paths: ["/dear", "/c"],
    judge: ({ pageId, url }) => ({
      pageId,
      listing: null,
      verdict: {
        kind: "denied",
        ruleIndex: null,
        reason: url.endsWith("/dear") ? "no_rule_matched" : "not_licensable",
        detail: null,
      },
    }),
  });
  await ledger.endRun({ runId: RUNS.denied, state: "completed", reason: null, now: AT + 4 * MINUTE_MS });
  await leaveDead(ledger);
}

/** One run whose process died and that the next one took over, which died too, with a page reserved. */
async function leaveDead(ledger: Ledger): Promise<void> {
  const sites = [toSite(), toSite({ host: IDN_HOST })];
  const fresh = { which: { kind: "fresh" }, sites, configured: sites } as const;
  const first = AT + 5 * MINUTE_MS;
  await begin(ledger, { ...fresh, runId: RUNS.left, process: "crawler-1:4242:a", now: first });
  const second = first + 2 * LEASE_MS;
  await begin(ledger, { ...fresh, runId: RUNS.dead, process: "crawler-2:77:b", now: second });
  await ledger.renewRun({ runId: RUNS.dead, process: "crawler-2:77:b", aliveUntil: second + 2 * LEASE_MS });
}

export { ON_DEMAND };
