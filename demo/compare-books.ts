/**
 * Compares every purchase of a ledger with every charge of the gateway's own account, which shares no code with it: exact
 * to the micro. A page may have been bought more than once, as a service does when it changes.
 */
import type { Agent } from "../src/agent/agent.ts";
import { formatAmount, plural } from "../src/cli/output/format-values.ts";
import { textTable } from "../src/cli/output/text-table.ts";
import type { Micros } from "../src/money/micros.ts";
import type { Sandbox } from "../src/sandbox/sandbox.ts";

const CURRENCY = "USD";
/** More than a demo has. */
const ALL = 100_000;

/** One entry of a book: what a page has cost, and when. */
export interface Entry {
  readonly url: string;
  readonly at: number;
  readonly micros: number;
}

/** The settled purchases of all runs. */
export async function readSettled(agent: Agent): Promise<readonly Entry[]> {
  const settled: Entry[] = [];
  for (const { runId } of (await agent.runs({ limit: ALL })).runs) {
    const { purchases } = await agent.runDetails(runId, { limit: ALL, state: "settled" });
    for (const { url, chargedMicros, reservedAt } of purchases) {
      // Budgets count a purchase in the period in which it was decided.
      settled.push({ url, at: reservedAt, micros: chargedMicros ?? 0 });
    }
  }
  return settled;
}

export function readCharges(sandbox: Sandbox): readonly Entry[] {
  return sandbox.audit().charges.map(({ url, at, priceMicros }) => ({ url, at, micros: priceMicros }));
}

/** Resolves the purchases in doubt by the gateway's account, as a person would. @returns how many there were */
export async function settleDoubts(agent: Agent, sandbox: Sandbox): Promise<number> {
  const { inDoubt } = await agent.status();
  const left = leftOver(readCharges(sandbox), await readSettled(agent)).map(({ url }) => url);
  for (const { purchaseId, url } of inDoubt) {
    const index = left.indexOf(url);
    await agent.resolve(purchaseId, index >= 0);
    left.splice(index, index >= 0 ? 1 : 0);
  }
  return inDoubt.length;
}

/** @returns the differences, page by page and in sum; empty when the books agree */
export async function compareBooks(agent: Agent, sandbox: Sandbox): Promise<readonly string[]> {
  const ours = await readSettled(agent);
  const theirs = readCharges(sandbox);
  const { totals } = await agent.audit();
  const { totals: gateway } = sandbox.audit();
  const reportedUses = Object.values(gateway).reduce((sum, of) => sum + of.reportedUses, 0);
  const currencies = new Set([...Object.keys(gateway), ...Object.keys(totals.spend)]);
  // A free page that was asked for when the service was killed is asked for again: it has two charges of nothing, and one purchase.
  const notOurs = leftOver(theirs, ours).filter(({ micros }) => micros > 0);
  return [
    ...leftOver(ours, theirs).map((entry) => `${describe(entry)}: the ledger has it, the gateway has no such charge`),
    ...notOurs.map((entry) => `${describe(entry)}: the gateway charged it, the ledger has no such purchase`),
    ...[...currencies].flatMap((currency) =>
      differ(
        `micros of ${currency} charged`,
        totals.spend[currency]?.settledMicros ?? 0,
        gateway[currency]?.chargedMicros ?? 0,
        "the gateway",
      ),
    ),
    ...differ("purchases settled", totals.purchases.settled, ours.length, "its runs"),
    ...differ("uses reported", totals.uses.reported, reportedUses, "the gateway"),
  ];
}

/** Both books side by side, by day (UTC). */
export async function listDays(agent: Agent, sandbox: Sandbox): Promise<string> {
  const ours = byDay(await readSettled(agent));
  const theirs = byDay(readCharges(sandbox));
  const days = [...new Set([...ours.keys(), ...theirs.keys()])].sort();
  return textTable(
    ["day", "ledger", "", "gateway", ""],
    days.map((day) => [day, ...toCells(ours.get(day)), ...toCells(theirs.get(day))]),
    ["left", "right", "right", "right", "right"],
  );
}

/** `9 pages for 0.114 USD` of one day. */
export function describeDay(entries: readonly Entry[], now: number): string {
  const [pages, amount] = toCells(byDay(entries).get(dayOf(now)));
  return `${pages} for ${amount}`;
}

/** The entries that the other book does not have. */
function leftOver(entries: readonly Entry[], others: readonly Entry[]): Entry[] {
  const counts = new Map<string, number>();
  for (const other of others) {
    counts.set(describe(other), (counts.get(describe(other)) ?? 0) + 1);
  }
  return entries.filter((entry) => {
    const count = counts.get(describe(entry)) ?? 0;
    counts.set(describe(entry), count - 1);
    return count <= 0;
  });
}

function describe({ url, micros }: Entry): string {
  return `${url} for ${micros} micros`;
}

function differ(what: string, ledger: number, other: number, who: string): string[] {
  return ledger === other ? [] : [`${what}: the ledger has ${ledger}, ${who} ${other}`];
}

interface Day {
  readonly pages: number;
  readonly micros: number;
}

const NOTHING: Day = { pages: 0, micros: 0 };

function toCells({ pages, micros }: Day = NOTHING): [string, string] {
  return [plural(pages, "page"), formatAmount(micros as Micros, CURRENCY)];
}

function byDay(entries: readonly Entry[]): Map<string, Day> {
  const days = new Map<string, Day>();
  for (const { at, micros } of entries) {
    const day = days.get(dayOf(at)) ?? NOTHING;
    days.set(dayOf(at), { pages: day.pages + 1, micros: day.micros + micros });
  }
  return days;
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
