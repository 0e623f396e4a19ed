/** The network between one process and the model gateway: it delays, loses, cuts and garbles, and never repeats. */
import type { WireAnswer, WireFailure, WireRequest } from "../../src/gateway/exchange.ts";
import type { Wire } from "../../src/gateway/transport.ts";
import type { Faults } from "./faults.ts";
import type { ModelAnswer, ModelGateway } from "./gateway/model-gateway.ts";
import { toWireAnswer } from "./gateway/model-wire.ts";
import type { Random } from "./random.ts";
import { leavesUnknown, type ReportWatch } from "./report-watch.ts";
import type { Owner, Scheduler } from "./scheduler.ts";
import type { Traffic } from "./workers/traffic.ts";
import { answerMistake } from "./wrong-settings.ts";

export interface WireDeps {
  readonly scheduler: Scheduler;
  readonly gateway: ModelGateway;
  readonly faults: Faults;
  readonly latency: Random;
  readonly timeoutMs: number;
  /** How long a token lives: where that is short, the gateway asks now and then for a rest that is longer. */
  readonly tokenLifeMs: number;
  readonly reports: ReportWatch;
  /** Counts what is under way at the gateway; null: nobody judges it. */
  readonly traffic: Traffic | null;
  /** Until when the gateway is away for everybody. */
  readonly outage: { until: number };
  /** The process does not reach the gateway. @default never */
  readonly isCut?: () => boolean;
  readonly trace: (line: () => string) => void;
}

type Fate =
  | "whole"
  | "lost_before"
  | "lost_after"
  | "late"
  | { readonly instead: ModelAnswer }
  | { readonly as: ModelAnswer };

export function createSimulatedWire(deps: WireDeps, owner: Owner, name: string): Wire {
  const { scheduler, gateway, faults, latency, trace } = deps;
  const cuts = new Set<() => void>();
  let refusedReports = 0;
  /** What refuses a report three times in a row is taken for a size limit (decision 0012), and this one is a passing fault. */
  const canBeRefused = ({ path }: WireRequest): boolean => {
    if (!path.endsWith("/selfReport")) {
      return true;
    }
    refusedReports += 1;
    return refusedReports % 3 === 0;
  };
  let contents = 0;
  /** No fault: such a gateway is slow, and each page is bought all the same. */
  const asksForRest = ({ path }: WireRequest): boolean => {
    if (deps.tokenLifeMs >= SHORT_LIFE_MS || !isContent(path)) {
      return false;
    }
    contents += 1;
    return contents % CONTENTS_BETWEEN_RESTS === 0;
  };
  const send = (request: WireRequest, signal?: AbortSignal): Promise<WireAnswer> =>
    new Promise((resolve) => {
      const what = `${name} ${request.method} ${request.path}`;
      const learn = request.path.endsWith("/selfReport") ? deps.reports.left(name, request) : () => {};
      let isOver = false;
      let leave = () => {};
      const end = (answer: WireAnswer) => {
        if (!isOver) {
          isOver = true;
          cuts.delete(abort);
          signal?.removeEventListener("abort", abort);
          if (isKnown(answer)) {
            learn();
          }
          resolve(answer);
        }
      };
      const abort = () => {
        // The gateway hears later that nobody waits any more.
        scheduler.schedule(latency.int(0, LONGEST_WAY_MS), null, leave);
        end(failed("aborted", true));
      };
      const fail = (reason: WireFailure, afterMs: number) => {
        trace(() => `${what}: ${reason}`);
        scheduler.schedule(afterMs, owner, () => end(failed(reason, reason !== "no_connection")));
      };
      if (signal?.aborted) {
        end(failed("aborted", false));
        return;
      }
      cuts.add(abort);
      signal?.addEventListener("abort", abort, { once: true });
      if (faults.strikes("gateway_away")) {
        const forMs = faults.random("gateway_away").pick(AWAY_MS);
        trace(() => `the gateway is away for ${forMs} ms`);
        deps.outage.until = scheduler.now + forMs;
      }
      const isAway = () => scheduler.now < deps.outage.until;
      if (faults.strikes("no_connection") || (isAway() && faults.random("gateway_away").chance(0.5))) {
        fail("no_connection", latency.int(0, 50));
        return;
      }
      const travelMs = faults.strikes("slow") ? latency.int(200, 20_000) : latency.int(0, 40);
      leave = deps.traffic?.begin(owner, scheduler.now) ?? leave;
      // A sent request stays in transit, even if its process ends.
      scheduler.schedule(travelMs, null, () => {
        const fate =
          isAway() || deps.isCut?.()
            ? "lost_before"
            : asksForRest(request)
              ? { instead: toLongRest(deps.tokenLifeMs) }
              : drawFate(faults, request, canBeRefused(request));
        if (fate !== "lost_after") {
          leave();
        }
        if (fate === "lost_before") {
          fail(...lostness(latency, deps.timeoutMs));
          return;
        }
        if (typeof fate === "object" && "instead" in fate) {
          trace(() => `${what}: ${fate.instead.status} in front of the gateway`);
          scheduler.schedule(latency.int(0, 40), owner, () => end(toWireAnswer(fate.instead)));
          return;
        }
        const answer = answerMistake(request) ?? gateway.handle(request, scheduler.now);
        trace(() => `${what}: ${answer.status}${fate === "whole" ? "" : ` (${describe(fate)})`}`);
        if (fate === "lost_after" || deps.isCut?.()) {
          const [reason, afterMs] = lostness(latency, deps.timeoutMs);
          fail(reason, afterMs);
          // Where nobody hears of an answer, the gateway may work on it for as long.
          scheduler.schedule(reason === "timeout" ? afterMs + latency.int(0, LONGEST_WAY_MS) : 0, null, leave);
          return;
        }
        const returnMs = fate === "late" ? latency.int(deps.timeoutMs / 2, deps.timeoutMs) : latency.int(0, 40);
        const delivered = typeof fate === "object" ? fate.as : answer;
        scheduler.schedule(returnMs, owner, () => end(garble(faults, dated(toWireAnswer(delivered), scheduler.now))));
      });
    });
  return {
    send,
    // Other answers come meanwhile, and a process may die with one that it has not looked at.
    received: () => scheduler.pause(0, owner),
    close: async () => {
      for (const cut of [...cuts]) {
        cut();
      }
    },
  };
}

/** The gateway's clock is right. */
function dated(answer: WireAnswer, now: number): WireAnswer {
  return answer.kind === "answered"
    ? { ...answer, headers: [...answer.headers, Buffer.from("date"), Buffer.from(new Date(now).toUTCString())] }
    : answer;
}

function isKnown(answer: WireAnswer): boolean {
  return answer.kind === "failed" ? !answer.sent : !leavesUnknown(answer.status);
}

function failed(reason: WireFailure, sent: boolean): WireAnswer {
  return { kind: "failed", reason, sent, detail: `simulated ${reason}` };
}

/** A lost message shows as a reset at once or as silence. */
function lostness(random: Random, timeoutMs: number): [WireFailure, number] {
  return random.chance(0.5) ? ["reset", random.int(0, 100)] : ["timeout", timeoutMs];
}

function drawFate(faults: Faults, { path }: WireRequest, canBeRefused: boolean): Fate {
  if (faults.strikes("request_lost")) {
    return "lost_before";
  }
  if (faults.strikes("error_before")) {
    return { instead: problem(faults.random("error_before").pick([408, 500, 502, 503, 504])) };
  }
  if (faults.strikes("rate_limited")) {
    return { instead: problem(429) };
  }
  if (canBeRefused && faults.strikes("refused")) {
    // 413 alone: any other refusal in front of the gateway says of the page, the account or the report what is not true.
    return { instead: problem(413) };
  }
  if (faults.strikes("answer_lost") || (path.endsWith("/selfReport") && faults.strikes("report_answer_lost"))) {
    return "lost_after";
  }
  if (faults.strikes("error_after")) {
    return { as: problem(faults.random("error_after").pick([500, 502, 503, 504])) };
  }
  return faults.strikes("answer_late") ? "late" : "whole";
}

/** Tokens that live shorter than this do not outlive a rest. */
const SHORT_LIFE_MS = 10_000;
/** Shorter and longer than the probes of a page, and than a token lives. */
const AWAY_MS = [5_000, 60_000, 600_000] as const;
/** The longest way of a message to the gateway. */
const LONGEST_WAY_MS = 40;
/** Each content request of so many is told to rest, and not served. */
const CONTENTS_BETWEEN_RESTS = 4;

function isContent(path: string): boolean {
  return path.includes("/content/") && !path.includes("/catalog/");
}

function toLongRest(tokenLifeMs: number): ModelAnswer {
  const { headers, ...limited } = problem(429);
  return { ...limited, headers: { ...headers, "retry-after": String(Math.ceil(tokenLifeMs / 1_000) + 1) } };
}

function problem(status: number): ModelAnswer {
  return { status, headers: { "content-type": "text/html" }, body: `<h1>${status}</h1>` };
}

function garble(faults: Faults, answer: WireAnswer): WireAnswer {
  if (answer.kind !== "answered" || answer.status !== 200) {
    return answer;
  }
  const { body } = answer;
  if (faults.strikes("answer_truncated")) {
    return { ...answer, body: body.subarray(0, body.length >> 1) };
  }
  if (faults.strikes("answer_empty")) {
    return { ...answer, body: Buffer.alloc(0) };
  }
  if (faults.strikes("answer_not_json")) {
    return { ...answer, body: Buffer.from("<html>502 Bad Gateway</html>") };
  }
  return faults.strikes("answer_wrong_shape") ? { ...answer, body: Buffer.from('{"error":"no"}') } : answer;
}

function describe(fate: Exclude<Fate, "whole">): string {
  return typeof fate === "string" ? fate : `answered as ${"as" in fate ? fate.as.status : fate.instead.status}`;
}
