/**
 * Which sites the runs of this service work on. Two runs of one site never overlap. Between processes, the ledger decides the same when a
 * run begins (`beginRun`); here it is decided before, so that a run that waits for its turn holds its sites too, and webhook runs give way.
 */
import type { RunTrigger } from "../../ledger/run-ledger.ts";
import { STOPPED_BY_SERVICE } from "../../run/stopped-by.ts";
import type { Clock } from "../../time/clock.ts";

/** How long a start waits for the end of webhook runs, which finish the purchases that they have started. */
const GIVE_WAY_MS = 120_000;

/** The sites of one run, from its start to its end. */
export interface SitePlace {
  readonly hosts: readonly string[];
  /** Aborts when the run must stop. */
  readonly signal: AbortSignal;
  /** The run has begun. Its sites may be known only now. */
  begun(run: { readonly runId: string; readonly hosts: readonly string[] }): void;
  /** A person stops it. */
  stop(): void;
  /** The run has ended, or never began. */
  readonly leave: () => void;
}

interface SitePlaces {
  /**
   * Takes the sites of a run. A run with the trigger `webhook` waits for other runs of its sites. Any other run stops the webhook runs of
   * its sites and waits for their ends.
   */
  take(wanted: {
    readonly trigger: RunTrigger;
    readonly hosts: readonly string[];
  }): Promise<
    | { readonly kind: "taken"; readonly place: SitePlace }
    | { readonly kind: "busy"; readonly runId: string | null; readonly detail: string }
  >;
  /** Gives no more places, stops every run, and resolves when they have ended. */
  close(): Promise<void>;
}

interface Place {
  hosts: readonly string[];
  runId: string | null;
  readonly trigger: RunTrigger;
  readonly controller: AbortController;
  readonly left: Promise<void>;
}

export function createSitePlaces(clock: Clock): SitePlaces {
  const places = new Set<Place>();
  const closing = new AbortController();
  const whenClosing = new Promise<void>((resolve) => {
    closing.signal.addEventListener("abort", () => resolve(), { once: true });
  });

  function add(trigger: RunTrigger, hosts: readonly string[]): SitePlace {
    const leaving = new AbortController();
    const left = new Promise<void>((resolve) => {
      leaving.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    const place: Place = { hosts, trigger, runId: null, controller: new AbortController(), left };
    places.add(place);
    return {
      hosts,
      signal: place.controller.signal,
      begun: (run) => {
        place.runId = run.runId;
        place.hosts = run.hosts;
      },
      stop: () => place.controller.abort(),
      leave: () => {
        places.delete(place);
        leaving.abort();
      },
    };
  }

  /** @returns false when they did not end in time */
  async function giveWay(webhookRuns: readonly Place[]): Promise<boolean> {
    for (const { controller } of webhookRuns) {
      controller.abort(STOPPED_BY_SERVICE);
    }
    const ended = Promise.all(webhookRuns.map(({ left }) => left));
    const timer = new AbortController();
    const late = clock.sleep(GIVE_WAY_MS, timer.signal).then(() => "late" as const);
    const first = await Promise.race([ended, late]);
    timer.abort();
    return first !== "late";
  }

  return {
    take: async ({ trigger, hosts }) => {
      const wanted = new Set(hosts);
      for (;;) {
        if (closing.signal.aborted) {
          return { kind: "busy", runId: null, detail: "the service is stopping: no run is begun" };
        }
        const others = [...places].filter((place) => place.hosts.some((host) => wanted.has(host)));
        const rival = others.find((place) => place.trigger !== "webhook");
        if (rival === undefined && others.length === 0) {
          return { kind: "taken", place: add(trigger, hosts) };
        }
        if (trigger === "webhook" && rival !== undefined) {
          await Promise.race([rival.left, whenClosing]);
          continue;
        }
        const inTheWay = rival ?? others[0];
        if (inTheWay !== undefined && (rival !== undefined || trigger === "webhook" || !(await giveWay(others)))) {
          return { kind: "busy", runId: inTheWay.runId, detail: describe(inTheWay) };
        }
      }
    },
    close: async () => {
      closing.abort();
      for (const { controller } of places) {
        controller.abort(STOPPED_BY_SERVICE);
      }
      while (places.size > 0) {
        await Promise.all([...places].map(({ left }) => left));
      }
    },
  };
}

function describe({ runId, hosts, trigger }: Place): string {
  const who = runId === null ? `a run (${trigger}) waits for its turn` : `run ${runId} (${trigger}) is at work`;
  return `${who} on ${hosts.join(", ")} in this service: nothing was begun`;
}
