/**
 * How this process is known to others that share its ledger, and what it knows of theirs. A run names the process that works on it: one
 * that is known to have ended need not be waited for.
 */
import { hostname } from "node:os";

export interface Processes {
  /** A name for one piece of work of this process, never used twice: `host:pid:` and which work of it. */
  begin(): string;
  /** That work is over, however it ended. */
  end(name: string): void;
  /** Whether the work of that name is known to be over. False for what cannot be known: another machine's. */
  hasEnded(name: string): boolean;
}

/**
 * Shared by all agents of this process: each of them has to know what the others work on. Two containers that share a host name, and a
 * ledger, must not: give each its own.
 */
const atWork = new Set<string>();
let begun = 0;

export const thisProcess: Processes = {
  begin() {
    begun += 1;
    const name = [hostname(), process.pid, `${Math.trunc(performance.timeOrigin).toString(36)}-${begun}`].join(":");
    atWork.add(name);
    return name;
  },
  end(name) {
    atWork.delete(name);
  },
  hasEnded(name) {
    const [host, pid] = name.split(":");
    if (host !== hostname()) {
      return false;
    }
    return Number(pid) === process.pid ? !atWork.has(name) : !isThere(Number(pid));
  },
};

/** Signal 0 asks without sending one. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user is there, and may not be asked.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** What people are told: `host:pid`. */
export function processLabel(name: string): string {
  return name.split(":").slice(0, 2).join(":");
}
