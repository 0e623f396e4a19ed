/**
 * Names this process for the other processes that share its ledger, and checks whether they are alive. A run names the process
 * that works on it. When that process is known to have ended, nobody needs to wait for it.
 */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";

export interface Processes {
  /** A name for one task of this process. A name is never used twice: `host:pid:` and a number. */
  begin(): string;
  /** Marks the task as ended. */
  end(name: string): void;
  /** True when the task of that name is known to have ended. False when that cannot be known, for example on another machine. */
  hasEnded(name: string): boolean;
}

/**
 * Shared by all agents of this process, because each must know the tasks of the others. Two containers that share a ledger must
 * have different host names.
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

/** Signal 0 checks the process and sends no signal. */
export function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Another user's process exists but cannot be signalled.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
  return !isZombie(pid);
}

/** A process that has ended keeps its number until its parent asks how it ended: under the first process of many containers, for ever. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The state follows the name of the program, which stands in brackets and may have brackets itself.
    return stat[stat.lastIndexOf(")") + 2] === "Z";
  } catch {
    // Not Linux, or it is gone by now.
    return false;
  }
}

/** The name in messages: `host:pid`. */
export function processLabel(name: string): string {
  return name.split(":").slice(0, 2).join(":");
}
