/**
 * The gateway's side of its limits: how many requests of a service and its workers are under way at once, and how many began within a second. A
 * request counts from when it is sent until the gateway has worked on it, also that of a worker that was killed meanwhile.
 */
import type { Violation } from "../checks/evidence.ts";
import type { Owner } from "../scheduler.ts";
import type { FleetPlan } from "./draw-fleet.ts";

const SECOND_MS = 1_000;
/** What sums of rates may be off by. */
const TINY = 1e-3;

export interface Member extends Owner {
  readonly name: string;
  readonly hasEnded: boolean;
}

export interface Traffic {
  /** From now on its requests count. Those of a service count while it is at work: its connections end with it. */
  add(member: Member, kind: "service" | "worker"): void;
  /** A request is sent. @returns to be called when the gateway has worked on it, or when its process has given it up */
  begin(owner: Owner, now: number): () => void;
  readonly violation: Violation | null;
  /** Requests of workers until now. */
  readonly ofWorkers: number;
}

interface Sent {
  readonly member: Member;
  readonly at: number;
  isUnderWay: boolean;
}

/** @param areClocksRight else two services may believe that they have the ledger, and the last one counts */
export function createTraffic(
  { concurrency, requestsPerSecond }: FleetPlan["limits"],
  areClocksRight: () => boolean,
): Traffic {
  const members = new Map<Owner, { readonly member: Member; readonly kind: "service" | "worker" }>();
  let recent: Sent[] = [];
  let ofWorkers = 0;
  let violation: Violation | null = null;
  const burst = Math.max(1, Math.ceil((requestsPerSecond ?? 0) / 20));
  let lastService: Member | null = null;
  const isAtWork = (member: Member) =>
    member.isAlive && !member.hasEnded && (member === lastService || areClocksRight());
  const counts = ({ member }: Sent) => members.get(member)?.kind === "worker" || isAtWork(member);
  const judge = (rule: string, { found, allowed }: { found: readonly Sent[]; allowed: number }) => {
    if (found.length > allowed + TINY) {
      const whose = found.map(({ member }) => member.name).join(", ");
      violation ??= { promise: 7, rule, detail: `${found.length} requests, and ${allowed} are allowed: of ${whose}` };
    }
  };
  return {
    add: (member, kind) => {
      members.set(member, { member, kind });
      lastService = kind === "service" ? member : lastService;
    },
    begin: (owner, now) => {
      const member = members.get(owner)?.member;
      if (member === undefined) {
        return () => {};
      }
      ofWorkers += members.get(owner)?.kind === "worker" ? 1 : 0;
      const sent = { member, at: now, isUnderWay: true };
      recent = [...recent.filter(({ isUnderWay, at }) => isUnderWay || at > now - SECOND_MS), sent];
      const counted = recent.filter(counts);
      judge("within-concurrency", { found: counted.filter(({ isUnderWay }) => isUnderWay), allowed: concurrency });
      if (requestsPerSecond !== null) {
        const allowed = requestsPerSecond + burst;
        judge("within-rate", { found: counted.filter(({ at }) => at > now - SECOND_MS), allowed });
      }
      return () => {
        sent.isUnderWay = false;
      };
    },
    get ofWorkers() {
      return ofWorkers;
    },
    get violation() {
      return violation;
    },
  };
}
