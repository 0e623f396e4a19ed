/**
 * The control endpoints, below `/__sandbox/`, for the person who runs the sandbox: from this machine only, and never from a page in a browser.
 *
 * | request | does |
 * |---|---|
 * | `GET audit` (`?summary=1` without the lists) | the independent account |
 * | `GET health` | `{"ok": true, sites: [...]}` |
 * | `POST pages` (a page as in `PageInput`) | adds or replaces a page and notifies the subscribers |
 * | `POST pages` `{url, remove: true}` | removes a page |
 * | `DELETE pages?url=…` | removes a page |
 * | `POST rates` `{url, rates}` | sets the rates of a page |
 * | `POST faults` `{name: probability}` | replaces the faults |
 * | `POST latency` `{latencyMs}` | sets the latency |
 * | `POST clock` `{by: "1d"}` or `{at: "2026-12-01T00:00:00Z"}` | moves the time of the sandbox |
 * | `GET clock` | `{now, offsetMs}` |
 * | `POST notify` `{url, type}` | sends a notification of a page as it is |
 * | `GET subscriptions` | the webhook subscriptions, without their secrets |
 * | `POST subscriptions` (a subscription), and `POST webhooks` | adds a subscription: `{id}` |
 * | `DELETE subscriptions?id=…` | removes one |
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import type { SandboxAudit } from "../books/audit.ts";
import type { FaultSettings } from "../faults/faults.ts";
import { renderProblem } from "../http/answer.ts";
import { readBody } from "../http/request-body.ts";
import { messageOf } from "../message-of.ts";
import type { PageInput } from "../pages/page.ts";
import type { RateInput } from "../pricing/rate.ts";
import { LICENSE_TYPES } from "../pricing/rate.ts";
import type { SandboxState } from "../sandbox-state.ts";
import type { DeliveryRecord } from "../webhooks/delivery-journal.ts";
import { type GivenSubscription, parseSubscription, type ShownSubscription } from "../webhooks/subscriptions.ts";
import { parseClockMove } from "./clock-move.ts";

export const CONTROL_PREFIX = "/__sandbox/";
const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;
const MAX_CONTROL_BYTES = 33_554_432;

/** What can be changed while the sandbox runs. Pages are named by their full URL or, on a single site, by their path. */
export interface SandboxControls {
  /** Sets the rates of a page. An empty list: not licensable. @throws Error on an unknown page or a bad rate */
  setRates(url: string, rates: readonly RateInput[]): void;
  /** Removes a page; from now on it is unknown. @throws Error when it does not exist */
  removePage(url: string): void;
  /** Replaces all fault probabilities. @throws Error on an unknown fault */
  setFaults(faults: FaultSettings): void;
  /** Sets the time between a request's effect and its answer. */
  setLatency(latencyMs: number): void;
  /** Moves the time of the sandbox by so many ms, also back. @throws Error when the year is not one of 1970 to 9998 */
  moveClock(ms: number): void;
  /** Sends a notification of a page as it is; resolves with the final delivery records. */
  notify(url: string, type: "CREATED" | "UPDATED"): Promise<DeliveryRecord[]>;
  /** Adds a webhook subscription. Returns its id. @throws Error when the id is taken */
  subscribe(subscription: GivenSubscription): string;
  /** @throws Error when there is no subscription with this id */
  unsubscribe(id: string): void;
  /** The subscriptions, without their secrets. */
  subscriptions(): readonly ShownSubscription[];
}

/** What the control endpoints call. */
export interface ControlDeps extends SandboxControls {
  readonly audit: (options: { summary: boolean }) => SandboxAudit;
  readonly putPage: (input: PageInput) => "CREATED" | "UPDATED";
  readonly latencyMs: () => number;
  /** Called with a failure of the sandbox itself. */
  readonly onError: (error: unknown) => void;
}

type Control = (
  body: Record<string, unknown>,
  query: URLSearchParams,
  deps: ControlDeps,
  state: SandboxState,
) => unknown;

const CONTROLS: Readonly<Record<string, Control>> = {
  "GET audit": (_body, query, deps) => deps.audit({ summary: query.get("summary") === "1" }),
  "GET health": (_body, _query, _deps, state) => ({
    ok: true,
    sites: state.siteIndex.sites.map(({ host, entryCount }) => ({ host, pages: entryCount })),
  }),
  "POST pages": (body, _query, deps) => {
    const { page, isRemoved } = parsePageRequest(body);
    return isRemoved ? deps.removePage(page.url) : { notificationType: deps.putPage(page) };
  },
  "DELETE pages": (_body, query, deps) => deps.removePage(query.get("url") ?? ""),
  "POST rates": (body, _query, deps) => deps.setRates(String(body.url), body.rates as readonly RateInput[]),
  "POST faults": (body, _query, deps) => deps.setFaults(body as FaultSettings),
  "POST latency": (body, _query, deps) => deps.setLatency(Number(body.latencyMs)),
  "GET clock": (_body, _query, _deps, state) => describeClock(state),
  "POST clock": (body, _query, deps, state) => {
    deps.moveClock(parseClockMove(body, state.clock.now()));
    return describeClock(state);
  },
  "POST notify": (body, _query, deps) => {
    const type = body.type === "CREATED" ? "CREATED" : "UPDATED";
    // Deliveries may take minutes of retries. The history shows their results.
    deps.notify(String(body.url), type).catch(deps.onError);
    return { notificationType: type };
  },
  "GET subscriptions": (_body, _query, deps) => ({ subscriptions: deps.subscriptions() }),
  "POST subscriptions": (body, _query, deps) => subscribe(body, deps),
  "DELETE subscriptions": (_body, query, deps) => deps.unsubscribe(query.get("id") ?? ""),
  "POST webhooks": (body, _query, deps) => subscribe(body, deps),
};

/** Every request, as in `GET audit`. */
export const CONTROL_REQUESTS: readonly string[] = Object.keys(CONTROLS);

/** Answers a control request. An invalid request gets a 400 with the reason. */
export function handleControl(
  message: IncomingMessage,
  response: ServerResponse,
  state: SandboxState,
  deps: ControlDeps,
): void {
  const url = new URL(message.url ?? "/", "http://sandbox");
  const refuse = (status: number, code: string, detail: string) =>
    sendJson(response, status, renderProblem(status, { code, detail }, url.pathname, "control"));
  if (!LOOPBACK.test(message.socket.remoteAddress ?? "") || message.headers.origin !== undefined) {
    refuse(403, "control-refused", "the control endpoints are for programs on this machine");
    return;
  }
  const control = CONTROLS[`${message.method} ${url.pathname.slice(CONTROL_PREFIX.length)}`];
  if (control === undefined) {
    refuse(404, "control-unknown", `the control requests are ${CONTROL_REQUESTS.join(", ")}`);
    return;
  }
  readBody(message, MAX_CONTROL_BYTES, (body) => {
    try {
      if (body === null) {
        throw new Error(`the body is larger than ${MAX_CONTROL_BYTES} bytes`);
      }
      const fields: unknown = body.length === 0 ? {} : JSON.parse(body.toString("utf8"));
      if (typeof fields !== "object" || fields === null) {
        throw new Error("the body must be a JSON object");
      }
      const result = control(fields as Record<string, unknown>, url.searchParams, deps, state);
      sendJson(response, 200, JSON.stringify(result ?? { ok: true }));
    } catch (error) {
      refuse(400, "control-invalid", messageOf(error));
    }
  });
}

function subscribe(body: Record<string, unknown>, deps: ControlDeps): { readonly id: string } {
  return { id: deps.subscribe(parseSubscription(body)) };
}

function describeClock({ clock }: SandboxState): { readonly now: string; readonly offsetMs: number } {
  return { now: new Date(clock.now()).toISOString(), offsetMs: clock.offsetMs };
}

function sendJson(response: ServerResponse, status: number, json: string): void {
  const type = status < 400 ? "application/json" : "application/problem+json";
  // A person at a terminal reads it: the line ends.
  const line = `${json}\n`;
  response.writeHead(status, { "Content-Type": type, "Content-Length": Buffer.byteLength(line) });
  response.end(line);
}

const rateSchema = z.object({
  priceMicros: z.number(),
  currency: z.string().optional(),
  licenseType: z.enum(LICENSE_TYPES).optional(),
  cuid: z.string().optional(),
  permissions: z.array(z.string()).optional(),
  licensePath: z.string().optional(),
  validUntil: z.string().optional(),
});

const pageRequestSchema = z.object({
  url: z.string().min(1),
  remove: z.boolean().optional(),
  html: z.string().optional(),
  markdown: z.string().optional(),
  title: z.string().optional(),
  author: z.string().optional(),
  lastMod: z.string().nullable().optional(),
  rates: z.array(rateSchema).optional(),
  indexing: z.boolean().optional(),
  access: z.enum(["open", "refused"]).optional(),
});

/** @throws Error naming each field that is wrong */
function parsePageRequest(body: unknown): { readonly page: PageInput; readonly isRemoved: boolean } {
  const checked = pageRequestSchema.safeParse(body);
  if (!checked.success) {
    throw new Error(`page:\n${z.prettifyError(checked.error)}`);
  }
  const { remove = false, ...page } = checked.data;
  return { page: page as PageInput, isRemoved: remove };
}
