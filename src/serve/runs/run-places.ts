/** Which sites the runs of a service have, from their start to their end, and who waits for whom. */
import { once } from "node:events";
import type { Resources } from "../../agent/compose.ts";
import { readRuns } from "../../agent/reports/runs-agent.ts";
import type { RunTrigger } from "../../ledger/run-ledger.ts";
import { STOPPED_BY_SERVICE } from "../../run/stopped-by.ts";

interface NamedRun {
  readonly runId: string;
}

type AnyPlace = Place<NamedRun>;

/** The sites of one run, from its start to its end. */
export interface Place<Run extends NamedRun> {
  readonly trigger: RunTrigger;
  /** Of a run that is resumed, known only when it has begun. */
  hosts: readonly string[];
  /** Null until the run has begun. */
  run: Run | null;
  /** Stops the run. */
  readonly stopping: AbortController;
  /** Aborts when the run has ended, or will never begin. */
  readonly leaving: AbortController;
}

/** How long a start waits for the end of webhook runs, which finish the purchases that they have started. */
const GIVE_WAY_MS = 120_000;
/** How long a start waits for a run that has ended, which clears what it leaves in the ledger, reports its end and closes its queue. */
const CLEAR_MS = 10_000;

/** A run of one of the sites is at work, here or in another process, or the service stops. Nothing was begun. */
export interface Busy {
  readonly kind: "busy";
  readonly runId: string | null;
  readonly detail: string;
}

interface TakeDeps {
  readonly resources: Resources;
  readonly closing: AbortSignal;
}

/**
 * A run with the trigger `webhook` waits for other runs of its sites. Any other run stops the webhook runs of its sites, and waits for them, and for
 * a run that has ended and has not left yet.
 */
export async function takeSites<Run extends NamedRun>(
  places: Set<Place<Run>>,
  { resources, closing }: TakeDeps,
  { trigger, hosts }: Pick<Place<Run>, "trigger" | "hosts">,
): Promise<Place<Run> | Busy> {
  const { clock } = resources;
  for (;;) {
    if (closing.aborted) {
      return { kind: "busy", runId: null, detail: "the service is stopping: no run is begun" };
    }
    const others = [...places].filter((place) => place.hosts.some((host) => hosts.includes(host)));
    const [inTheWay = others[0]] = others.filter((place) => place.trigger !== "webhook");
    if (inTheWay === undefined) {
      const place = { trigger, hosts, run: null, stopping: new AbortController(), leaving: new AbortController() };
      places.add(place);
      return place;
    }
    const isRival = inTheWay.trigger !== "webhook";
    if (trigger === "webhook" && isRival) {
      await whenLeft(inTheWay);
    } else if (
      !(isRival ? await isLeaving(resources, inTheWay) : trigger !== "webhook" && (await giveWay(clock, others)))
    ) {
      return { kind: "busy", runId: inTheWay.run?.runId ?? null, detail: describePlace(inTheWay) };
    }
  }
}

/** Whoever reads the end of a run in the ledger may start the next one. @returns whether it has ended, and left its sites in time */
async function isLeaving(resources: Resources, place: AnyPlace): Promise<boolean> {
  if (place.run === null) {
    return false;
  }
  const { runId } = place.run;
  const [run] = (await readRuns(resources, await resources.ledger("read"), { runId, limit: 1 })).runs;
  return run?.state !== "running" && leaveInTime(resources.clock, CLEAR_MS, [place]);
}

export async function whenLeft({ leaving }: AnyPlace): Promise<void> {
  if (!leaving.signal.aborted) {
    await once(leaving.signal, "abort");
  }
}

/** Stops webhook runs. @returns false when they did not end in time */
function giveWay(clock: Resources["clock"], webhookRuns: readonly AnyPlace[]): Promise<boolean> {
  for (const { stopping } of webhookRuns) {
    stopping.abort(STOPPED_BY_SERVICE);
  }
  return leaveInTime(clock, GIVE_WAY_MS, webhookRuns);
}

/** @returns false when not all have left in time */
async function leaveInTime(clock: Resources["clock"], ms: number, leaving: readonly AnyPlace[]): Promise<boolean> {
  const timer = new AbortController();
  const left = Promise.all(leaving.map(whenLeft)).then(() => true);
  const haveLeft = await Promise.race([left, clock.sleep(ms, timer.signal).then(() => false)]);
  timer.abort();
  return haveLeft;
}

function describePlace({ run, hosts, trigger }: AnyPlace): string {
  const who = run === null ? `a run (${trigger}) waits for its turn` : `run ${run.runId} (${trigger}) is at work`;
  return `${who} on ${hosts.join(", ")} in this service: nothing was begun`;
}
