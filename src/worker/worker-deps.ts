/** What the stages of a worker depend on, for the work of one run. */
import { createOutagePolicy, createOutages } from "../agent/runs/outages.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Ids } from "../ids.ts";
import { createBuyingHold } from "../pipeline/acquire/buying-hold.ts";
import { createDecisionTurns } from "../pipeline/decide/decision-turns.ts";
import { createAnswerStreaks } from "../pipeline/settle/answer-streaks.ts";
import { NO_SINK } from "../pipeline/settle/document-sink.ts";
import { createSiteHealth } from "../pipeline/site-health.ts";
import type { MarkdownConversion, StageEvents, WorkerDeps } from "../pipeline/stage-deps.ts";
import { createSlots } from "../pipeline/work/slots.ts";
import type { Clock } from "../time/clock.ts";
import { FORWARDED_EVENTS, type RunTerms, type WorkerPort } from "./worker-port.ts";

/**
 * Pages between token and settlement for each request in flight, and those of them that wait for a token or for the commit of their start. A commit of
 * the service takes as long as some answers of the gateway, and nobody's place is to be idle meanwhile.
 */
export const PAGES_PER_PLACE = 8;
const TOKENS_PER_PLACE = 4;

/** What all runs of a worker share. */
export interface WorkerTools {
  readonly port: WorkerPort;
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: () => number;
  readonly converter: MarkdownConversion;
  /** Requests that the worker can have in flight. */
  readonly places: number;
  /** Counts what was bought. */
  readonly onPage: () => void;
  /** Aborts when the worker ends: content that cannot be delivered is then given up. */
  readonly ending: AbortSignal;
}

/** The parts that the pages of a run share in one process. @param stop aborts when nothing more is begun */
export function createWorkerDeps(tools: WorkerTools, terms: RunTerms, work: string, stop: AbortSignal): WorkerDeps {
  const { port, gateway, clock, ids, random, converter, places, ending } = tools;
  return {
    ...terms,
    gateway,
    ledger: port,
    clock,
    ids,
    random,
    converter,
    events: forwardEvents(tools, work),
    pageSlots: createSlots(places * PAGES_PER_PLACE),
    tokenSlots: createSlots(places * TOKENS_PER_PLACE),
    tokenStop: stop,
    documents: NO_SINK,
    siteHealth: createSiteHealth(),
    answerStreaks: createAnswerStreaks(),
    turns: createDecisionTurns(),
    buyingHold: createBuyingHold(),
    // What this worker waits for is not a row: the service notes what keeps the run from going on.
    outagePolicy: createOutagePolicy(createOutages(clock, NO_WAITS), clock, { runId: work, ending }),
  };
}

const NO_WAITS = { begin: () => {}, end: () => {} };

const IGNORED = () => {};

/** An event that is lost on the way is not sent again: what counts is in the ledger. */
function forwardEvents({ port, onPage }: WorkerTools, work: string): StageEvents {
  const forward = (name: (typeof FORWARDED_EVENTS)[number]) => (event: unknown) => {
    port.emit({ work, name, event } as Parameters<WorkerPort["emit"]>[0]).catch(IGNORED);
  };
  const forwarded = Object.fromEntries(FORWARDED_EVENTS.map((name) => [name, forward(name)]));
  const ofTheOwner = { bought: onPage, walked: IGNORED, decided: IGNORED, flawedRates: IGNORED, twoSchemes: IGNORED };
  return { ...ofTheOwner, ...forwarded } as unknown as StageEvents;
}
