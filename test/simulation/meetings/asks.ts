/** What was asked for in a meeting: by whom, when, which pages, under which limit, and which runs carry it. */
import { readFileSync } from "node:fs";
import type { Scenario, Settings } from "../scenario.ts";
import type { World } from "../world.ts";

export interface Ask {
  /** For messages: `run#3 walks site0.example`. */
  readonly what: string;
  readonly kind: "walk" | "slot" | "list" | "plan" | "fetch";
  /** By what the person or the service works that was asked. */
  readonly settings: Settings;
  /** The pages that it names, or that its sites listed when the world began. A file may change before it is read. */
  urls: ReadonlySet<string>;
  /** Of a list: its file. */
  readonly file?: string;
  /** Of a list: the pages that a later version of its file lacks, which may have been the one that was read. */
  gone: ReadonlySet<string>;
  /** It is for whatever these sites list. */
  readonly hosts: ReadonlySet<string>;
  /** Pages at most, over all that continue it. Null: no limit. A later word of a person raises it. */
  maxPages: number | null;
  /** When purchases for it may start: true time. The last one is open while nobody has stopped it. */
  readonly windows: { readonly from: number; to: number | null }[];
  /** The process that was started for it; null where a service was asked. */
  readonly process: string | null;
  /** It may have been stopped: a service never answered, or could only say that it had told the run to stop, or a process died at that instant. */
  isStopUnsure: boolean;
  /** Its runs, by name, the first one first. */
  readonly runs: string[];
}

/** The windows of each ask that somebody had asked by then. */
export type Remembered = ReadonlyMap<Ask, Ask["windows"]>;

export class Asks {
  readonly all: Ask[] = [];
  readonly #world: World;
  readonly #everRuns = new Map<Ask, ReadonlySet<string>>();
  #seen = 0;

  constructor(world: World) {
    this.#world = world;
  }

  add(ask: Omit<Ask, "windows" | "runs" | "isStopUnsure" | "gone">, runs: readonly string[] = []): Ask {
    const added: Ask = {
      ...ask,
      windows: [{ from: this.#world.scheduler.now, to: null }],
      isStopUnsure: false,
      gone: new Set(),
      runs: [...runs],
    };
    this.all.push(added);
    this.#world.note(() => `asked: ${ask.what}, ${ask.maxPages ?? "all"} of ${ask.urls.size} pages`);
    return added;
  }

  /** Learns which runs have begun: those of a process that was started for an ask carry it, and a slot asks for its own. */
  learn(): void {
    for (const { at, process, runId, resumed, call } of this.#world.beginnings.slice(this.#seen)) {
      if (call.trigger === "schedule" && !resumed) {
        this.#addSlot(
          runId,
          at,
          call.sites.map(({ host }) => host),
        );
      }
      const ask = this.all.find((one) => one.process === process);
      if (ask !== undefined && !ask.runs.includes(runId)) {
        ask.runs.push(runId);
      }
    }
    this.#seen = this.#world.beginnings.length;
  }

  #addSlot(runId: string, at: number, hosts: readonly string[]): void {
    const { scenario } = this.#world;
    const ask: Ask = {
      what: `a slot of ${hosts.join(" and ")}`,
      kind: "slot",
      settings: scenario,
      urls: new Set(
        scenario.sites.filter(({ host }) => hosts.includes(host)).flatMap((site) => site.pages.map(({ url }) => url)),
      ),
      hosts: new Set(hosts),
      maxPages: null,
      windows: [{ from: at, to: null }],
      process: null,
      isStopUnsure: false,
      gone: new Set(),
      runs: [runId],
    };
    this.all.push(ask);
  }

  /** A person has stopped it, and it has come to rest. */
  stop(ask: Ask): void {
    const last = ask.windows.at(-1);
    if (last !== undefined) {
      last.to ??= this.#world.scheduler.now;
    }
  }

  /** When purchases for each might start, as a copy of the ledger knows it that is complete now. */
  remember(): Remembered {
    this.learn();
    return new Map(this.all.map((ask) => [ask, ask.windows.map((window) => ({ ...window }))]));
  }

  /**
   * The ledger is that copy now: it knows no run, no stop and no word of a person that came later. What an earlier restore took away comes back
   * with a copy that knows it.
   */
  forget(remembered: Remembered, isKnown: (run: string) => boolean): void {
    for (const ask of this.all) {
      const { windows, runs } = ask;
      // A later request may have continued a run that the copy knows, by a file that has changed since.
      ask.gone = remembered.has(ask) ? ask.gone : ask.urls;
      readAgain(ask);
      const ever = new Set([...(this.#everRuns.get(ask) ?? []), ...runs]);
      this.#everRuns.set(ask, ever);
      runs.splice(0, runs.length, ...[...ever].filter(isKnown));
      const kept = remembered.get(ask)?.map((window) => ({ ...window })) ?? windows.slice(0, 1);
      const last = kept.at(-1) as Ask["windows"][number];
      // It may have gone on since.
      const wasStopped = windows.some(({ from, to }) => from === last.from && to !== null);
      windows.splice(0, windows.length, ...kept);
      if (runs.length === 0) {
        last.to ??= this.#world.scheduler.now;
      } else if (last.to === null && wasStopped) {
        // Whether its stop had begun when the copy was made, nobody knows.
        ask.isStopUnsure = true;
      }
    }
  }

  /** A person goes on with it, perhaps with another limit. */
  reopen(ask: Ask, maxPages: number | null): void {
    ask.windows.push({ from: this.#world.scheduler.now, to: null });
    if (maxPages !== null && ask.maxPages !== null) {
      ask.maxPages = Math.max(ask.maxPages, maxPages);
    }
  }
}

/** A copy that was made before a list had read its file reads it as it is now. */
function readAgain(ask: Ask): void {
  const lines = ask.file === undefined ? [] : readFileSync(ask.file, "utf8").trim().split("\n");
  const isChanged =
    ask.file !== undefined && (lines.length !== ask.urls.size || lines.some((url) => !ask.urls.has(url)));
  if (isChanged) {
    ask.urls = new Set([...ask.urls, ...lines]);
    ask.gone = new Set([...ask.gone, ...ask.urls]);
  }
}

const KINDS = ["walk", "walk", "walk", "fetch", "service", "service", "list", "plan", "plan"] as const;
/** Only the runs of a service have workers. */
const KINDS_WITH_WORKERS = ["service", "service", "service", "service", "walk", "fetch", "list", "plan"] as const;

/** What is asked for, each as often as it is listed. */
export function kindsAsked({ limits }: Pick<Scenario, "limits">) {
  return limits === undefined ? KINDS : KINDS_WITH_WORKERS;
}
