import type { OpenedQuoteBatch } from "../../ledger/frontier-ledger.ts";
import type { Body } from "../../ledger/http/body.ts";
import { createRepeats, type Repeats } from "../../ledger/http/repeats.ts";
import type { OpenPurchase } from "../../ledger/purchase-ledger.ts";
import type { SharedWork } from "../../pipeline/work/elsewhere.ts";
import type { LeaseJob } from "../../queue/queue.ts";
import type { Hello } from "../../worker/worker-port.ts";
import type { MethodOf } from "./company.ts";

/** Work of a run that is offered, under the name that the workers know. */
export interface Offer extends SharedWork {
  readonly id: string;
  /** When it was offered, by the clock for durations. */
  readonly sinceMs: number;
}

/** A lease that a worker has. */
export interface HeldLease {
  readonly offer: Offer;
  /** Null until it is opened. */
  readonly host: string | null;
  readonly quoted: OpenedQuoteBatch | null;
  /** The purchases of its batch, by their ids. */
  readonly purchases: Map<number, OpenPurchase>;
}

/** A worker from its hello until it leaves, or is silent for too long. */
export interface Session extends Hello {
  readonly id: string;
  /** The name of the token that it came with. */
  readonly tokenName: string;
  /** Of licet: that of the service, because another one is refused. */
  readonly version: string;
  /** Epoch ms. */
  readonly since: number;
  /** Its last sign of life, by the clock for durations and as epoch ms. */
  seenMs: number;
  seenAt: number;
  lastBeat: number;
  isDraining: boolean;
  pages: number;
  /** Pages when it was looked at last, and how many a second came until then. */
  rate: { readonly pages: number; readonly atMs: number; readonly perSecond: number };
  /** The offers that it takes jobs of. */
  attached: ReadonlySet<string>;
  readonly jobs: Map<string, { readonly offer: Offer; readonly job: LeaseJob }>;
  readonly leases: Map<string, HeldLease>;
  /** Of the flusher's lease, if it has it. */
  flusherFence: number | null;
  readonly repeats: Repeats<Body>;
  /** What it may call (session-port.ts). Null until its first message. */
  methodOf: MethodOf | null;
  /** It must be told something. */
  hasNews: boolean;
  wake: () => void;
}

export function createSession(
  hello: Hello,
  {
    id,
    tokenName,
    version,
    now,
    nowMs,
  }: Pick<Session, "id" | "tokenName" | "version"> & { readonly now: number; readonly nowMs: number },
): Session {
  return {
    ...hello,
    id,
    tokenName,
    version,
    since: now,
    seenMs: nowMs,
    seenAt: now,
    lastBeat: 0,
    isDraining: false,
    pages: 0,
    rate: { pages: 0, atMs: nowMs, perSecond: 0 },
    attached: new Set(),
    jobs: new Map(),
    leases: new Map(),
    flusherFence: null,
    repeats: createRepeats(),
    methodOf: null,
    hasNews: true,
    wake: () => {},
  };
}

/** Its next answer comes at once. */
export function tell(session: Session | undefined): void {
  if (session !== undefined) {
    session.hasNews = true;
    session.wake();
  }
}
