/**
 * The gateway of the simulated world, with its own account: a synchronous state machine at the level of HTTP requests. It shares
 * no code with licet and does no I/O. Time and randomness are its inputs.
 */
import type { ScenarioSite } from "../scenario.ts";
import type { GatewayAccount } from "./account.ts";
import { createGatewayState, type DeliveryAttempts } from "./gateway-state.ts";
import { changePrice, type Page, publishPage, touchPage } from "./published.ts";
import { serve } from "./serve.ts";
import type { GatewayTraits } from "./traits.ts";

/** What arrives: as written to the wire by the real client (method, path with query, header names and values in turn, body). */
export interface ArrivedRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: Uint8Array | null;
}

export interface ModelAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ModelGatewayOptions {
  readonly sites: readonly ScenarioSite[];
  readonly apiKey: string;
  readonly agentId: string;
  /** `Service`, or another name: header names and the self-report path follow it (gateway-notes § Names). */
  readonly service: string;
  readonly traits: GatewayTraits;
  /** Entries of a catalog page at most, whatever is asked for. */
  readonly maxPageSize: number;
  /** A bulk rate request with more URLs is answered 413. */
  readonly maxBatchUrls: number;
  readonly reportShape: "array" | "receipts";
  /** Leaves `rate` out of content answers: then the quote counts as charged, and the model charges exactly the rate. */
  readonly omitsRate: boolean;
  /** Bulk rates come shuffled and with repeats. 0 ≤ x < 1 */
  readonly random: () => number;
  readonly startAt: number;
}

export interface ModelGateway {
  readonly account: GatewayAccount;
  /** What was notified, and how often it was tried. */
  readonly deliveries: DeliveryAttempts[];
  /** A synchronous state machine: never throws, whatever arrives. */
  handle(request: ArrivedRequest, now: number): ModelAnswer;
  /** The world moves on: each of these takes effect for requests that arrive later. */
  setPrice(url: string, rateIndex: number, micros: number, now: number): void;
  touchPage(url: string, lastMod: string): void;
  addPage(host: string, page: ScenarioSite["pages"][number], now: number): void;
  removePage(url: string): void;
  /** 403 for tokens and content of this page (a definite no: never charged). */
  forbidPage(url: string): void;
  /** From now on an accepted token of this page is charged so much above its cap (which a gateway should never do). */
  overcharge(url: string, extraMicros: number): void;
  /** Reports that name this URL are refused with 400 as a whole. */
  refuseReportsOf(url: string): void;
  /** What was unfriendly only for a while is over. */
  fix(): void;
}

export function createModelGateway(options: ModelGatewayOptions): ModelGateway {
  const state = createGatewayState(options);
  const pageOf = (url: string): Page => {
    const page = state.pages.get(url);
    if (page === undefined) {
      throw new Error(`the simulated world has no page ${url}`);
    }
    return page;
  };
  return {
    account: state,
    deliveries: state.deliveries,
    handle: (request, now) => serve(state, request, now),
    setPrice: (url, rateIndex, micros, now) => changePrice(pageOf(url), rateIndex, micros, now),
    touchPage: (url, lastMod) => touchPage(pageOf(url), lastMod, state),
    addPage: (host, page, now) => publishPage(state, host, page, now),
    removePage: (url) => {
      pageOf(url).isRemoved = true;
    },
    forbidPage: (url) => {
      pageOf(url).isForbidden = true;
    },
    overcharge: (url, extraMicros) => {
      pageOf(url).overchargeMicros = extraMicros;
    },
    refuseReportsOf: (url) => {
      pageOf(url).refusesReports = true;
    },
    fix: () => {
      state.isFixed = true;
    },
  };
}
