import type { Micros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import { addCharged } from "../../pipeline/report/flush.ts";
import type { StageEvents } from "../../pipeline/stage-deps.ts";
import type { Clock } from "../../time/clock.ts";
import type { EventBus } from "./events.ts";
import { createRetryEvents } from "./gateway-events.ts";

/** Warnings that the report of a run stores. More of them would add nothing. */
const MAX_WARNINGS = 100;

/** What to do about pages under http and https, by what names them. */
const TWO_SCHEMES_HINTS = {
  catalog: "remove one of them from the catalog",
  list: "remove one of them from the list, or name the one that its catalog names",
  fetch: "ask for the one that its catalog names",
} as const;

/** The rates of one site that cannot be bought: their count and the first example. */
interface FlawedRates {
  count: number;
  readonly example: string;
}

function describeFlawed(host: string, { count, example }: FlawedRates): string {
  return `${host}: ${count === 1 ? "a rate" : `${count} rates`} cannot be bought, such as ${example}`;
}

/** Turns the stages' events into the agent's events, and collects what the report of the run needs. */
export function createStageEvents(
  bus: EventBus,
  clock: Pick<Clock, "now">,
): {
  readonly events: StageEvents;
  readonly warnings: readonly string[];
  /** Charges of the reported uses so far. */
  readonly charged: Readonly<Record<Currency, Micros>>;
} {
  let charged: Readonly<Record<Currency, Micros>> = {};
  const warnings = new Set<string>();
  const retrying = createRetryEvents(bus, clock);
  const stopped = new Set<string>();
  const ofTwoSchemes = new Set<string>();
  const flawed = new Map<string, FlawedRates>();
  const warn = (message: string) => {
    if (warnings.size < MAX_WARNINGS && !warnings.has(message)) {
      warnings.add(message);
      bus.emit("warning", { message });
    }
  };
  return {
    get warnings() {
      return [...warnings, ...[...flawed].map(([host, rates]) => describeFlawed(host, rates))];
    },
    get charged() {
      return charged;
    },
    events: {
      walked: (event) => bus.emit("walk.page", event),
      decided: (event) => bus.emit("pages.decided", event),
      bought: ({ url, charged: price, feeMicros }) =>
        bus.emit("page.bought", {
          url,
          chargedMicros: price?.micros ?? null,
          feeMicros,
          currency: price?.currency ?? null,
        }),
      failed: (event) => bus.emit("page.failed", event),
      inDoubt: ({ quoted, ...event }) =>
        bus.emit("page.in_doubt", {
          ...event,
          quotedMicros: quoted?.micros ?? null,
          currency: quoted?.currency ?? null,
        }),
      // Every batch of the stopped site reports the stop. The user gets one event.
      siteStopped: (event) => {
        const key = `${event.host} ${event.stop}`;
        if (!stopped.has(key)) {
          stopped.add(key);
          warnings.add(`${event.host} was stopped (${event.stop}): ${event.detail}`);
          bus.emit("site.stopped", { ...event, hosts: event.hosts ?? [event.host] });
        }
      },
      reported: ({ charged: newly, ...event }) => {
        charged = addCharged(charged, newly);
        bus.emit("usage.reported", { ...event, chargedMicros: newly });
      },
      retrying,
      flawedRates: ({ host, count, url, flaw }) => {
        const known = flawed.get(host);
        if (known !== undefined) {
          known.count += count;
          return;
        }
        const first = { count, example: `one of ${url}: ${flaw}` };
        flawed.set(host, first);
        bus.emit("warning", { message: describeFlawed(host, first) });
      },
      twoSchemes: ({ host, example, namedBy }) => {
        if (!ofTwoSchemes.has(host)) {
          ofTwoSchemes.add(host);
          warn(
            `${host} has pages under both http and https, such as ${example}: they count as two pages and are bought twice; ${TWO_SCHEMES_HINTS[namedBy]}`,
          );
        }
      },
      warned: warn,
    },
  };
}
