/** Publishes by itself, for a service that lives from what is new: two pages, then a new text for an older one, and again. */
import type { Clock } from "../time/clock.ts";
import type { PageInput, Site } from "./pages/page.ts";

interface PublisherDeps {
  readonly clock: Clock;
  readonly sites: readonly Site[];
  /** Undefined: never. */
  readonly everyMs: number | undefined;
  readonly put: (page: PageInput) => unknown;
  readonly onError: (error: unknown) => void;
}

export interface Publisher {
  start(): void;
  /** Publishes nothing more. */
  stop(): Promise<void>;
}

/** Each third turn is an update. */
const UPDATE_EVERY = 3;

/** @throws Error when no site can be changed, or the interval is not one */
export function createPublisher({ clock, sites, everyMs, put, onError }: PublisherDeps): Publisher {
  if (everyMs === undefined) {
    return { start: () => {}, stop: async () => {} };
  }
  if (!(Number.isFinite(everyMs) && everyMs >= 1)) {
    throw new Error(`publishEveryMs: ${everyMs} is not a number of 1 or more`);
  }
  const hosts = sites.filter((site) => "put" in site).map(({ host }) => host);
  if (hosts.length === 0) {
    throw new Error("there is no site to publish on: the pages of a synthetic site cannot be changed");
  }
  const stop = new AbortController();
  const work = async () => {
    for (let turn = 0; ; turn += 1) {
      await clock.sleep(everyMs, stop.signal);
      if (stop.signal.aborted) {
        return;
      }
      try {
        put(toPage(turn, hosts));
      } catch (error) {
        onError(error);
      }
    }
  };
  let working: Promise<void> | undefined;
  return {
    start: () => {
      working ??= work();
    },
    stop: async () => {
      stop.abort();
      await working;
    },
  };
}

/** The hosts take turns. Pages are numbered by host. */
function toPage(turn: number, hosts: readonly string[]): PageInput {
  const round = Math.floor(turn / hosts.length);
  const host = hosts[turn % hosts.length] ?? "";
  const isUpdate = round % UPDATE_EVERY === UPDATE_EVERY - 1;
  const published = round - Math.floor(round / UPDATE_EVERY);
  const number = isUpdate ? Math.floor(published / 2) : published;
  const title = `Dispatch ${number + 1}`;
  const text = isUpdate
    ? `The second text of this page, of turn ${turn}.`
    : `The first text of this page, of turn ${turn}.`;
  return { url: `https://${host}/dispatches/${number + 1}`, title, markdown: `# ${title}\n\n${text}\n` };
}
