/** `agent.plans` and `agent.planDetails`: the saved plans of `serve.plans`, and one of them. */
import { assertLicetError } from "../../errors.ts";
import type { PlanRun } from "../../ledger/run-reports.ts";
import type { PlanChange } from "../../plan/plan-change.ts";
import type { PlanLine } from "../../plan/plan-line.ts";
import { type Resources, withLedgerOrEmpty } from "../compose.ts";
import { comparePlans } from "./compare-plans.ts";
import { checkPlan, openPlan, openPlanHeader, type SavedPlan } from "./open-plan.ts";
import { findPlanFile, listPlanNames } from "./plan-directory.ts";
import type {
  ListedPlan,
  PlanChanges,
  PlanDetails,
  PlanDetailsOptions,
  PlanList,
  PlannedLine,
  PlanOverview,
  PlansOptions,
  RefusedPlan,
} from "./plan-list.ts";

const USUAL_ROWS = 50;
/** Most plans have one run. */
const RUNS_OF_PLAN = 10;

type Head = Pick<SavedPlan, "path" | "header">;

/** Reads the first line of each file. @throws LicetError PLAN_REFUSED for a directory that cannot be read */
export async function plansAgent(
  resources: Resources,
  { limit = USUAL_ROWS, cursor = "" }: PlansOptions,
): Promise<PlanList> {
  const { config } = resources;
  const directory = config.serve.plans;
  const names = directory === null ? [] : (await listPlanNames(directory)).filter((name) => name > cursor);
  const shown = names.slice(0, limit);
  const files: (Omit<ListedPlan, "plan"> & { readonly head: Head | null })[] = [];
  for (const name of shown) {
    files.push(await readHead(resources, name));
  }
  const heads = files.flatMap(({ head }) => head ?? []);
  const toOverview = await createOverview(resources, heads);
  return {
    directory,
    plans: files.map(({ name, problem, head }) => ({ name, problem, plan: head === null ? null : toOverview(head) })),
    nextCursor: names.length > limit ? (shown.at(-1) ?? null) : null,
  };
}

async function readHead({ config }: Resources, name: string) {
  try {
    return { name, problem: null, head: await openPlanHeader(await findPlanFile(config, name)) };
  } catch (error) {
    assertLicetError(error, "PLAN_REFUSED");
    return { name, problem: error.message, head: null };
  }
}

/** @throws LicetError PLAN_REFUSED, USAGE_INVALID without `serve.plans` */
export async function planDetailsAgent(
  resources: Resources,
  name: string,
  { against, limit = USUAL_ROWS, cursor = "0" }: PlanDetailsOptions,
): Promise<PlanDetails> {
  const plan = await openPlan(await findPlanFile(resources.config, name));
  const toOverview = await createOverview(resources, [plan]);
  const from = Number(cursor);
  return {
    name,
    plan: toOverview(plan),
    content: plan.content,
    ...plan.edits,
    pagesLeft: plan.left.pages,
    leftMicros: plan.left.setAsideMicros,
    lines: await readLines(plan, from, limit),
    nextCursor: from + limit < plan.left.pages ? String(from + limit) : null,
    against: against === undefined ? null : await compare(resources, { path: plan.path, against, limit }),
  };
}

async function readLines(plan: SavedPlan, from: number, limit: number): Promise<readonly PlannedLine[]> {
  const lines: PlannedLine[] = [];
  let number = 0;
  for await (const { line } of plan.lines()) {
    if (line === null) {
      continue;
    }
    if (number >= from + limit) {
      break;
    }
    if (number >= from) {
      lines.push(toPlannedLine(line));
    }
    number++;
  }
  return lines;
}

function toPlannedLine({ url, maxPrice, planned, policy, ruleIndex }: PlanLine): PlannedLine {
  return {
    url,
    maxPriceMicros: maxPrice?.micros ?? null,
    currency: maxPrice?.currency ?? null,
    licenseType: planned?.license.licenseType ?? null,
    cuid: planned?.license.cuid ?? null,
    policyName: policy,
    ruleIndex,
  };
}

async function compare(
  { config, openSpool }: Resources,
  { path, against, limit }: { readonly path: string; readonly against: string; readonly limit: number },
): Promise<PlanChanges> {
  const changes: PlanChange[] = [];
  const files = { path, against: await findPlanFile(config, against) };
  const comparison = await comparePlans(files, openSpool, (change) => {
    if (changes.length < limit) {
      changes.push(change);
    }
  });
  return { ...comparison, changes };
}

/** One look into the ledger for all plans. */
async function createOverview(resources: Resources, heads: readonly Head[]): Promise<(head: Head) => PlanOverview> {
  const digests = heads.map(({ header }) => header.planDigest);
  return withLedgerOrEmpty(resources, "read", async (ledger) => {
    const runs = await ledger.readPlanRuns({ digests, limit: digests.length * RUNS_OF_PLAN });
    return (head) => toOverview(head, runs, findRefusal(resources, head));
  });
}

function toOverview({ header }: Head, runs: readonly PlanRun[], refused: RefusedPlan | null): PlanOverview {
  const { createdAt, expiresAt, pages, setAsideMicros, planDigest, terms } = header;
  return {
    createdAt,
    expiresAt,
    hosts: Object.keys(terms.sites),
    pages,
    setAsideMicros,
    digest: planDigest,
    refused,
    runs: runs.filter(({ digest }) => digest === planDigest),
  };
}

function findRefusal({ config, clock }: Resources, head: Head): RefusedPlan | null {
  try {
    checkPlan(head, config, clock.now());
    return null;
  } catch (error) {
    assertLicetError(error, "PLAN_REFUSED");
    return { reason: error.details.reason as RefusedPlan["reason"], detail: error.message };
  }
}
