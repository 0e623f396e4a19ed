/** What people do beside the runs: each call is its own process, as a command would be. */

import { planAgent } from "../../src/agent/plans/plan-agent.ts";
import { auditAgent, statusAgent } from "../../src/agent/reports/status-agent.ts";
import type { RunWork } from "../../src/agent/runs/begin-run.ts";
import { cancelAgent } from "../../src/agent/runs/cancel-agent.ts";
import { runAgent } from "../../src/agent/runs/run-agent.ts";
import { reportAgent } from "../../src/agent/usage/report-agent.ts";
import { useAgent } from "../../src/agent/usage/use-agent.ts";
import { isLicetError } from "../../src/errors.ts";
import type { AuditReport } from "../../src/ledger/ledger-reports.ts";
import { Halt } from "./halt.ts";
import type { ProcessOrder } from "./happenings.ts";
import { openList, type WorldList, withItsList } from "./lists.ts";
import type { ProcessJob } from "./process.ts";
import type { Random } from "./random.ts";
import { reconcileJob } from "./settle-accounts.ts";
import type { World } from "./world.ts";

export const reportJob: ProcessJob = (resources, bus, signal) => reportAgent(resources, bus, signal);

/** A run, resumed or not. */
export function runJob(world: World, options: RunWork): ProcessJob {
  return async (resources, bus, signal) => {
    const call = withItsList(world, options, resources.clock);
    const run = (more: RunWork) =>
      runAgent(resources, bus, { ...call, signal, ...more }).catch((error: unknown) => {
        // A person has looked at the clock and found that it is right, or as wrong as it will stay.
        if (isLicetError(error, "CLOCK_BEHIND")) {
          const again = withItsList(world, options, resources.clock);
          return runAgent(resources, bus, { ...again, signal, ...more, trustClock: true });
        }
        throw error;
      });
    const process = world.processes.find(({ stop }) => stop.signal === signal);
    return world.commandService === null || process === undefined
      ? run({})
      : world.commandService.offer(process, resources, (elsewhere) => run({ elsewhere }));
  };
}

/** A run of the world's list: a new one, or an interrupted one. */
export function listJob(world: World, list: WorldList, call: RunWork = {}): ProcessJob {
  return (resources, bus, signal) =>
    runJob(world, { ...call, list: openList(list, resources.clock) })(resources, bus, signal);
}

export function resumeNewest(world: World): ProcessOrder {
  return { kind: "resume", job: runJob(world, { resume: "newest" }) };
}

/** licet's own audit must find nothing, at any moment, unless the world was made to break a rule of its own. */
export function auditJob(world: World): ProcessJob {
  return async (resources) => {
    const report: AuditReport = await auditAgent(resources);
    const isEdited = world.evidence.settings.length > 1;
    const violation = report.violations.find(({ promise }) => !isEdited || promise !== 1);
    if (violation !== undefined && world.evidence.overchargedUrls.size === 0) {
      throw new Halt({ promise: "liveness", rule: "audit-is-clean", detail: JSON.stringify(violation) });
    }
  };
}

export function drawOperator(world: World, random: Random): ProcessOrder | null {
  const kind = random.pick([
    "report",
    "use",
    "use",
    "resolve",
    "resolve",
    "plan",
    "audit",
    "status",
    "retry",
    "reconcile",
    "cancel",
  ] as const);
  switch (kind) {
    case "report":
      return { kind, job: reportJob };
    case "retry":
      return {
        kind,
        job: (resources, bus, signal) => reportAgent(resources, bus, signal, { retryRejected: true }),
      };
    case "reconcile":
      return { kind, job: reconcileJob(world) };
    case "cancel":
      return drawCancel(world, random);
    case "plan":
      return { kind, job: (resources, bus, signal) => planAgent(resources, bus, { signal }) };
    case "audit":
      return { kind, job: auditJob(world) };
    case "status":
      return { kind, job: (resources) => statusAgent(resources) };
    case "use":
      return drawUse(world, random);
    case "resolve":
      return drawResolution(world, random);
    default:
      return kind satisfies never;
  }
}

export function cancelJob(runId: string): ProcessJob {
  return (resources, bus, signal) => cancelAgent(resources, bus, runId, signal);
}

/** Cancels a run: one without a process, or one that is alive. */
function drawCancel(world: World, random: Random): ProcessOrder | null {
  const unfinished = world.db
    .prepare<[], string>("SELECT name FROM run WHERE kind <> 'planning' AND state = 'running'")
    .pluck();
  const runs = unfinished.all();
  return runs.length === 0 ? null : { kind: "cancel", job: cancelJob(random.pick(runs)) };
}

/** Uses of pages that are stored, and now and then of one that is not. */
function drawUse(world: World, random: Random): ProcessOrder {
  const urls = world.scenario.sites.flatMap(({ pages }) => pages.map(({ url }) => url));
  const url = random.pick(urls);
  const times = random.int(1, 3);
  return {
    kind: "use",
    job: async (resources) => {
      // Noted before, and corrected after: it may be recorded although the caller is dead.
      const { operations } = world.evidence;
      const use = { kind: "use", url, times, at: world.scheduler.now } as const;
      const index = operations.push({ ...use, recorded: false }) - 1;
      const { recorded } = await useAgent(resources, [{ url, times }]);
      operations[index] = { ...use, recorded: recorded > 0 };
    },
  };
}

/** Somebody asked the gateway's people: the answer is mostly the truth. */
function drawResolution(world: World, random: Random): ProcessOrder | null {
  const doubts = world.db.prepare("SELECT id FROM purchase WHERE state = 'in_doubt'").pluck().all() as number[];
  if (doubts.length === 0) {
    return null;
  }
  const purchaseId = random.pick(doubts);
  const token = world.tokens.get(purchaseId);
  const isTrue = random.chance(0.8);
  const charged = world.gateway.account.charges.some((charge) => charge.token === token) === isTrue;
  return {
    kind: "resolve",
    job: async (resources) => {
      const ledger = await resources.ledger("existing");
      world.evidence.operations.push({ kind: "resolve", purchaseId, charged, at: world.scheduler.now });
      await ledger.resolvePurchase({ purchaseId, charged, now: resources.clock.now() });
    },
  };
}
