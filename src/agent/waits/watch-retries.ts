/** Waits of the gateway's client: it repeats a request, or all requests pause because the gateway asked for it (429, `Retry-After`). */
import { WAIT_CODES } from "../../pipeline/work/outage-policy.ts";
import type { WaitPlace } from "../../run/wait.ts";
import type { Clock } from "../../time/clock.ts";
import type { AgentEvents, EventBus } from "../events/events.ts";
import type { Waits } from "./waits.ts";

/** A shorter wait, or an earlier retry, is usual. */
const WORTH_SAYING_MS = 1_000;
const WORTH_SAYING_ATTEMPT = 3;
/** After the end of a pause, the next refusal extends it. */
const PAUSE_GRACE_MS = 1_000;
const CLIENT_ERROR = 500;
const RATE_LIMITED = 429;

interface RetriesDeps {
  readonly waits: Waits;
  readonly clock: Clock;
  /** Whose requests they are. Null: those of a whole service. */
  readonly runId: string | null;
  /** How long a request may take until it fails again. */
  readonly timeoutMs: number;
}

/** @returns a function that stops watching */
export function watchRetries(bus: EventBus, { waits, clock, runId, timeoutMs }: RetriesDeps): () => void {
  const stopping = new AbortController();
  /** Until when it is waited, by place: the wait is over when nothing failed again some time later. */
  const untils = new Map<WaitPlace, number>();

  const onRequest = ({ status }: AgentEvents["gateway.request"]) => {
    if (status !== null && status < CLIENT_ERROR && status !== RATE_LIMITED) {
      end("gateway");
    }
  };
  const end = (place: WaitPlace) => {
    untils.delete(place);
    waits.end(runId, [place]);
    if (place === "gateway") {
      bus.off("gateway.request", onRequest);
    }
  };
  const endInTime = async (place: WaitPlace, graceMs: number): Promise<void> => {
    for (;;) {
      const leftMs = (untils.get(place) ?? 0) + graceMs - clock.now();
      if (leftMs <= 0 || stopping.signal.aborted) {
        end(place);
        return;
      }
      await clock.sleep(leftMs, stopping.signal);
    }
  };
  const onRetry = ({ call, because, status, attempt, attempts, waitMs }: AgentEvents["gateway.retry"]) => {
    if (waitMs < WORTH_SAYING_MS && attempt < WORTH_SAYING_ATTEMPT) {
      return;
    }
    const place = because === "rate_limited" ? "rate_limit" : "gateway";
    const until = clock.now() + waitMs;
    const isNew = !untils.has(place);
    untils.set(place, Math.max(until, untils.get(place) ?? 0));
    const answer = status === null ? because : `HTTP ${status}`;
    const message = `${call}: ${answer}, attempt ${attempt} of ${attempts}`;
    waits.begin({ place, runId, code: WAIT_CODES[because], message, hint: null, until });
    if (isNew) {
      // The client describes its requests only for a listener: nobody listens while it does not wait.
      if (place === "gateway") {
        bus.on("gateway.request", onRequest);
      }
      void endInTime(place, place === "gateway" ? timeoutMs + PAUSE_GRACE_MS : PAUSE_GRACE_MS);
    }
  };
  bus.on("gateway.retry", onRetry);
  return () => {
    stopping.abort();
    bus.off("gateway.retry", onRetry);
    bus.off("gateway.request", onRequest);
  };
}
