/**
 * The shares of the gateway's limits that are out at present. What all may use together never passes the whole: a smaller share is free for
 * others only when its holder has confirmed that it keeps to it, and that of a dead one when nothing that it has sent can be under way any more.
 */
import type { RequestShare } from "../../gateway/gateway.ts";
import { dealShares, NOTHING, roundRate, TINY } from "./deal.ts";

export interface DealtShare extends RequestShare {
  /** Grows with each change. */
  readonly version: number;
}

export interface Shares {
  /**
   * @param wants requests in flight that the worker can use. 0: none; what it has is taken back when it confirms, or is removed
   * @param hasJobs that wait for their requests. @default false
   */
  set(id: string, wants: number, hasJobs?: boolean): void;
  /** Nothing of it is under way any more. */
  remove(id: string): void;
  /** Its requests in flight and its rate are within this version of its share. */
  confirm(id: string, version: number): void;
  /** Its share now. Nothing, for one that is not known. */
  of(id: string): DealtShare;
}

/** The service among the holders. */
export const SERVICE = "service";
/** Among the holders, whoever may still use what a dead service dealt. */
export const UNKNOWN = "unknown";

interface Holder {
  wants: number;
  hasJobs: boolean;
  granted: RequestShare;
  /** The most that it may still use: what was granted before, until it confirms that it uses less. */
  held: RequestShare;
  version: number;
}

export interface SharesOptions {
  /** Called with whoever has another share now. */
  readonly onChange: (id: string) => void;
  /** A service died that may have dealt all but its own share: nobody gets it until `UNKNOWN` is removed. */
  readonly isAfterDeath: boolean;
}

export function createShares(whole: RequestShare, { onChange, isAfterDeath }: SharesOptions): Shares {
  const holders = new Map<string, Holder>();
  const add = (id: string, held: RequestShare): Holder => {
    const holder = { wants: 0, hasJobs: false, granted: held, held, version: 0 };
    holders.set(id, holder);
    return holder;
  };
  if (isAfterDeath) {
    const [ofService = whole, ofWorkers = NOTHING] = dealShares(whole, [{ places: whole.concurrency, urgency: 0 }]);
    add(SERVICE, ofService);
    add(UNKNOWN, ofWorkers).granted = NOTHING;
  } else {
    add(SERVICE, whole);
  }

  function deal(): void {
    const workers = [...holders].filter(([id]) => id !== SERVICE);
    const dealt = dealShares(
      whole,
      workers.map(([, holder]) => ({ places: holder.wants, urgency: urgencyOf(holder) })),
    );
    const targets = new Map([SERVICE, ...workers.map(([id]) => id)].map((id, index) => [id, dealt[index] ?? NOTHING]));
    // What is taken back comes before what is dealt of it.
    for (const [id, holder] of holders) {
      grant(id, holder, least(holder.granted, targets.get(id) ?? NOTHING));
    }
    for (const [id, holder] of holders) {
      if (isSame(holder.held, holder.granted)) {
        const others = [...holders.values()].filter((other) => other !== holder).map(({ held }) => held);
        grant(id, holder, grow(holder.granted, targets.get(id) ?? NOTHING, whole, others));
        holder.held = holder.granted;
      }
    }
  }

  function grant(id: string, holder: Holder, share: RequestShare): void {
    const usable = share.concurrency < 1 || share.burst < 1 ? NOTHING : share;
    if (isSame(usable, holder.granted)) {
      return;
    }
    holder.granted = usable;
    holder.version += 1;
    onChange(id);
  }

  return {
    set(id, wants, hasJobs = false) {
      const holder = holders.get(id) ?? add(id, NOTHING);
      holder.wants = wants;
      holder.hasJobs = hasJobs;
      deal();
    },
    remove(id) {
      if (holders.delete(id)) {
        deal();
      }
    },
    confirm(id, version) {
      const holder = holders.get(id);
      if (holder !== undefined && holder.version === version && !isSame(holder.held, holder.granted)) {
        holder.held = holder.granted;
        deal();
      }
    },
    of: (id) => {
      const { granted, version } = holders.get(id) ?? { granted: NOTHING, version: 0 };
      return { ...granted, version };
    },
  };
}

/** Who has jobs comes first, because nobody else can end them, and then who has a share already. */
function urgencyOf({ hasJobs, granted }: Holder): number {
  return (hasJobs ? 2 : 0) + (granted.concurrency > 0 ? 1 : 0);
}

/** As much of what is wanted as the others leave. What is had already stays. */
function grow(
  had: RequestShare,
  wanted: RequestShare,
  whole: RequestShare,
  others: readonly RequestShare[],
): RequestShare {
  const concurrency = Math.min(
    wanted.concurrency,
    whole.concurrency - others.reduce((sum, other) => sum + other.concurrency, 0),
  );
  if (whole.requestsPerSecond === null || wanted.requestsPerSecond === null) {
    return { ...wanted, concurrency };
  }
  // What may start within a second: the rate and the burst together.
  const left = others.reduce((sum, other) => sum - inASecond(other), inASecond(whole));
  const requestsPerSecond = roundRate(Math.min(wanted.requestsPerSecond, left - Math.max(1, had.burst)));
  const burst = requestsPerSecond <= 0 ? 0 : Math.min(wanted.burst, Math.floor(left - requestsPerSecond + TINY));
  return { concurrency, requestsPerSecond, burst };
}

const inASecond = ({ requestsPerSecond, burst }: RequestShare): number => (requestsPerSecond ?? 0) + burst;

function least(a: RequestShare, b: RequestShare): RequestShare {
  const rates = [a.requestsPerSecond, b.requestsPerSecond].filter((rate) => rate !== null);
  return {
    concurrency: Math.min(a.concurrency, b.concurrency),
    requestsPerSecond: rates.length === 0 ? null : Math.min(...rates),
    burst: Math.min(a.burst, b.burst),
  };
}

function isSame(a: RequestShare, b: RequestShare): boolean {
  return a.concurrency === b.concurrency && a.requestsPerSecond === b.requestsPerSecond && a.burst === b.burst;
}
