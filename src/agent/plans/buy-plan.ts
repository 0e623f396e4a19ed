/** A saved plan as the list that a run buys from: checked each time when a run begins with it or goes on with it. */
import { LicetError } from "../../errors.ts";
import type { ListPosition } from "../../ledger/list-ledger.ts";
import type { ListLine } from "../../pipeline/lists/list-reader.ts";
import type { PlanLine } from "../../plan/plan-line.ts";
import { AWAY_WARNING_MS } from "../../time/clock-judgement.ts";
import { formatAge } from "../../time/duration.ts";
import type { RunCall } from "../calls/buying-calls.ts";
import type { Resources } from "../compose.ts";
import type { OpenableList } from "../lists/list-input.ts";
import { checkPlan, describeEdits, openPlan, openPlanHeader, type SavedPlan } from "./open-plan.ts";

/** @throws LicetError PLAN_REFUSED */
export async function openCheckedPlan(file: string, { config, clock }: Resources): Promise<SavedPlan> {
  const plan = await openPlan(file);
  checkPlan(plan, config, clock.now());
  return plan;
}

/** The sites of a plan, by its first line. @throws LicetError PLAN_REFUSED */
export async function readPlanSites(
  file: string,
  { config, clock }: Pick<Resources, "config" | "clock">,
): Promise<readonly string[]> {
  const plan = await openPlanHeader(file);
  checkPlan(plan, config, clock.now());
  return Object.keys(plan.header.terms.sites);
}

/** The options of a run with a plan, as those of a run with a list. A plan names its sites. */
export function toPlanCall<Call extends RunCall>(options: Call, plan: SavedPlan): Call {
  const other = (["list", "hosts", "order"] as const).find((name) => options[name] !== undefined);
  if (other !== undefined) {
    throw new LicetError(
      "USAGE_INVALID",
      `run: plan and ${other} cannot both be given: a plan names its pages, in its own order`,
      {
        hint: "To buy less, take lines out of the plan.",
        details: { call: "run" },
      },
    );
  }
  const hosts = options.resume === undefined ? { hosts: Object.keys(plan.header.terms.sites) } : {};
  return { ...options, ...hosts, list: toPlanList(plan) };
}

/**
 * The plan of a run that goes on. Its file is read again, because it may have expired or the configuration may have changed since. Null: the run
 * does not buy from a plan.
 * @throws LicetError PLAN_REFUSED; USAGE_INVALID when what is given again is not what the run buys from
 */
export async function reopenPlan(
  runId: string,
  position: ListPosition | null,
  given: { readonly plan: SavedPlan | null; readonly list: OpenableList | undefined },
  resources: Resources,
): Promise<SavedPlan | null> {
  const isPlan = position?.source === "plan";
  if (isPlan ? given.plan === null && given.list !== undefined : given.plan !== null) {
    throw new LicetError("USAGE_INVALID", `run ${runId} ${isPlan ? "buys from a plan" : "does not buy from a plan"}`, {
      hint: isPlan
        ? "Give the plan again: licet run --resume RUN --plan FILE"
        : "To begin a run with the plan: licet run --plan FILE",
      details: { call: "run" },
    });
  }
  if (!isPlan || given.plan !== null || position.path === null) {
    return given.plan;
  }
  return openCheckedPlan(position.path, resources);
}

export function toPlanList(plan: SavedPlan): OpenableList {
  const { path, header } = plan;
  const { createdAt, planDigest, basis } = header;
  return { source: "plan", path, plan: { createdAt, digest: planDigest, basis }, open: () => readPlan(plan) };
}

/** A run says when a person has changed the plan that it buys from, and when another clock made it. */
export function warnOfPlan(plan: SavedPlan | null, now: number, warned: (message: string) => void): void {
  if (plan?.edits.edited === true) {
    warned(`${plan.path} was ${describeEdits(plan.edits)}`);
  }
  const aheadMs = plan === null ? 0 : plan.header.createdAt - now;
  if (aheadMs > AWAY_WARNING_MS) {
    warned(
      `${plan?.path} was made by a clock that is ${formatAge(aheadMs)} ahead of this one: one of both is wrong, and the plan counts longer than was meant`,
    );
  }
}

/** The first line is a line of the file that names no page. */
async function* readPlan(plan: SavedPlan): AsyncGenerator<ListLine> {
  for await (const { text, line } of plan.lines()) {
    yield { text, parsed: line === null ? { kind: "blank" } : { kind: "entry", entry: toEntry(line) } };
  }
}

function toEntry({ url, planned, maxPrice, value, key }: PlanLine) {
  return { url, maxPrice, license: planned?.license ?? null, value, key };
}
