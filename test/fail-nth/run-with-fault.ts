/**
 * A small ledger with one fault: a run, later uses and their report, in which an operation fails. Then the fault is repaired, a new
 * process resumes the run, the next run follows, and purchases in doubt are resolved. After each step the ledger is compared with
 * the gateway's account.
 */
import type { RunReport } from "../../src/agent/runs/run-report.ts";
import { isLicetError } from "../../src/errors.ts";
import { checkAccounts, type LedgerFacts, type PurchaseFact, readFacts, storedUrls } from "./accounts.ts";
import type { FaultPoint } from "./fault.ts";
import type { NthPlan } from "./plans.ts";
import { createNthWorld, type NthProcess, type NthWorld, type WorldFaults } from "./world.ts";

/** What a fault may leave behind that its repair does not undo. */
export interface Leavings {
  /**
   * Which pages may be in doubt. `charged`: only those that the gateway has charged, because the answer was lost or could not
   * be stored. `sent`: also those that the gateway never got, because nobody can know.
   */
  readonly doubts: "none" | "charged" | "sent";
  /** The gateway refused reports with a definite 4xx. */
  readonly rejectedUses: boolean;
  /** The gateway said that the account is not enabled for a site, or that an address has no rates: stored until the next full walk. */
  readonly refusedSites: boolean;
  /** What the audit may name, because the gateway did it. */
  readonly tolerates: RegExp | null;
  /** Nothing is left to the next process: the run with the fault recovers by itself. */
  readonly sameRun: boolean;
}

export const NOTHING_LEFT: Leavings = {
  doubts: "none",
  rejectedUses: false,
  refusedSites: false,
  tolerates: null,
  sameRun: false,
};

export interface FaultyRun {
  /** What was wrong, as text; empty when nothing was. */
  readonly problems: readonly string[];
  /** The operations that failed; empty when the run ended before the nth. */
  readonly struck: readonly string[];
  /** What the process with the fault ended with. */
  readonly error: unknown;
  readonly report: RunReport | null;
  /** As the faulty process left the ledger, and as it was after the resumed and the next run. */
  readonly left: LedgerFacts;
  readonly repaired: LedgerFacts;
  /** Charges in the gateway's account by page, before any doubt was resolved. */
  readonly charges: ReadonlyMap<string, number>;
}

const ENDS = ["completed", "budget_exhausted"];
const RESUMABLE = ["running", "interrupted", "failed"];
/** Later than a full walk is due. */
const A_WEEK_LATER_MS = 8 * 86_400_000;

const unhandled: unknown[] = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));

export async function runWithFault(
  plan: NthPlan,
  {
    faults,
    point,
    leavings,
  }: { readonly faults: WorldFaults; readonly point: FaultPoint; readonly leavings: Leavings },
): Promise<FaultyRun> {
  const world = await createNthWorld(plan, faults);
  const problems: string[] = [];
  try {
    const { report, error } = await startWithFault(plan, world, problems);
    point.repair();
    const left = readFacts(world.ledgerFile);
    if (leavings.sameRun) {
      const open = [
        ...checkAccounts(world.sandbox, world.ledgerFile, plan.limitMicros, allowing(leavings)),
        ...checkStored(plan, left, leavings),
      ];
      problems.push(...open.map((problem) => `left to the next process: ${problem}`));
    }
    await resume(plan, world, leavings, left, problems);
    const repaired = readFacts(world.ledgerFile);
    const charges = countCharges(world);
    problems.push(...checkAccounts(world.sandbox, world.ledgerFile, plan.limitMicros, allowing(leavings)));
    problems.push(...checkStored(plan, repaired, leavings), ...checkDoubts(repaired, charges, leavings));
    if (!isWhole(plan, repaired)) {
      await settleTheRest(plan, world, leavings, repaired, charges, problems);
    }
    problems.push(...world.checkTraffic());
    return { problems, struck: point.struck, error, report, left, repaired, charges };
  } finally {
    await world.close();
  }
}

async function startWithFault(
  plan: NthPlan,
  world: NthWorld,
  problems: string[],
): Promise<{ report: RunReport | null; error: unknown }> {
  let report: RunReport | null = null;
  let error: unknown = null;
  try {
    await world.inProcess(async (licet) => {
      report = await licet.run();
      await licet.use(plan.laterUses);
      await licet.report();
    });
  } catch (thrown) {
    error = thrown;
    if (!isLicetError(thrown)) {
      problems.push(`it ended in no clear error: ${thrown instanceof Error ? (thrown.stack ?? thrown) : thrown}`);
    } else if ((thrown.hint ?? "") === "" || thrown.message === "") {
      problems.push(`it ended in an error that does not say what to do: ${thrown.code}: ${thrown.message}`);
    }
  }
  await new Promise((resolve) => setImmediate(resolve));
  problems.push(...unhandled.splice(0).map((reason) => `a rejection was not handled: ${reason}`));
  return { report, error };
}

/** The next process: the unfinished run to its end, the next run, and all that is to be reported. */
async function resume(
  plan: NthPlan,
  world: NthWorld,
  leavings: Leavings,
  left: LedgerFacts,
  problems: string[],
): Promise<void> {
  await expectNoError(problems, "after the repair", () =>
    world.inProcess(async (licet) => {
      if (RESUMABLE.includes(left.runs.at(-1)?.state ?? "")) {
        const resumed = await licet.run({ resume: "newest" });
        if (!ENDS.includes(resumed.state) && !leavings.refusedSites) {
          problems.push(`the resumed run ended ${resumed.state}: ${resumed.reason}`);
        }
      }
      await finish(plan, licet, leavings, problems);
    }),
  );
}

async function finish(plan: NthPlan, licet: NthProcess, leavings: Leavings, problems: string[]): Promise<void> {
  const next = await licet.run();
  if (!ENDS.includes(next.state)) {
    problems.push(`the next run ended ${next.state}: ${next.reason}`);
  }
  await licet.use(plan.laterUses);
  await licet.report();
  const { violations } = await licet.audit();
  const unexpected = violations.filter(({ detail }) => leavings.tolerates?.test(detail) !== true);
  problems.push(...unexpected.map(({ promise, detail }) => `audit: promise ${promise}: ${detail}`));
}

/** Resolves what is in doubt as the gateway's account says, and buys what was refused before. */
async function settleTheRest(
  plan: NthPlan,
  world: NthWorld,
  leavings: Leavings,
  facts: LedgerFacts,
  charges: ReadonlyMap<string, number>,
  problems: string[],
): Promise<void> {
  const doubts = facts.purchases.filter(({ state }) => state === "in_doubt");
  const lost = new Map<string, number>();
  for (const doubt of doubts) {
    if (isCharged(doubt, facts, charges)) {
      lost.set(doubt.url, 1);
    }
  }
  await expectNoError(problems, "after the doubts were resolved", () =>
    world.inProcess(async (licet) => {
      for (const { id, url } of doubts) {
        await licet.resolve(id, lost.has(url));
      }
      await world.clock.sleep(A_WEEK_LATER_MS);
      await finish(plan, licet, leavings, problems);
    }),
  );
  const after = readFacts(world.ledgerFile);
  problems.push(
    ...checkAccounts(world.sandbox, world.ledgerFile, plan.limitMicros, { ...allowing(leavings), extraCharges: lost }),
  );
  const stored = storedUrls(after);
  const expected = plan.affordable === plan.pages.size ? plan.pages.size : plan.affordable - lost.size;
  if (stored.size !== expected) {
    problems.push(`in the end ${stored.size} pages are stored, not ${expected}`);
  }
}

/** The gateway has a charge for the page that no settled purchase accounts for. */
function isCharged({ url }: PurchaseFact, { purchases }: LedgerFacts, charges: ReadonlyMap<string, number>): boolean {
  const settled = purchases.filter((other) => other.url === url && other.state === "settled").length;
  return (charges.get(url) ?? 0) > settled;
}

function checkStored(plan: NthPlan, facts: LedgerFacts, leavings: Leavings): string[] {
  const problems: string[] = [];
  const stored = storedUrls(facts);
  const doubtful = new Set(facts.purchases.filter(({ state }) => state === "in_doubt").map(({ url }) => url));
  const refused = new Set(leavings.refusedSites ? facts.refusedQuotes : []);
  for (const url of stored) {
    if (!plan.pages.has(url)) {
      problems.push(`${url} is stored, and no rule allows it`);
    }
  }
  const missing = [...plan.pages.keys()].filter((url) => !stored.has(url) && !doubtful.has(url) && !refused.has(url));
  const unaffordable = plan.pages.size - plan.affordable;
  // A page that was refused may be one of those that did not fit.
  const fewest = Math.max(0, unaffordable - refused.size);
  if (missing.length > unaffordable || missing.length < fewest) {
    problems.push(
      `neither stored nor in doubt: ${missing.join(", ") || "nothing"}; ${unaffordable} do not fit the budget`,
    );
  }
  for (const { url, key, times } of plan.laterUses) {
    const recorded = facts.uses.filter((use) => use.key === key);
    const isRecorded = recorded.length === 1 && recorded[0]?.times === times && recorded[0].url === url;
    if (stored.has(url) && !isRecorded) {
      problems.push(`the use ${key} is recorded ${recorded.length} times`);
    }
  }
  return problems;
}

function checkDoubts(facts: LedgerFacts, charges: ReadonlyMap<string, number>, { doubts }: Leavings): string[] {
  return facts.purchases
    .filter(({ state }) => state === "in_doubt")
    .filter((doubt) => doubts === "none" || (doubts === "charged" && !isCharged(doubt, facts, charges)))
    .map(({ url, reason }) => `${url} is in doubt (${reason}), and need not be`);
}

function isWhole(plan: NthPlan, facts: LedgerFacts): boolean {
  return storedUrls(facts).size === plan.affordable && facts.purchases.every(({ state }) => state !== "in_doubt");
}

function countCharges(world: NthWorld): Map<string, number> {
  const charges = new Map<string, number>();
  for (const { url } of world.sandbox.audit().charges) {
    charges.set(url, (charges.get(url) ?? 0) + 1);
  }
  return charges;
}

function allowing({ rejectedUses }: Leavings) {
  return { extraCharges: new Map<string, number>(), rejectedUses };
}

async function expectNoError(problems: string[], when: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    problems.push(`${when}: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
  }
}
