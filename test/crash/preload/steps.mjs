/**
 * Ends (SIGKILL) or freezes (SIGSTOP) this process at the nth call of a step: a method of the ledger or a call to the gateway.
 * - `before`, `after`: the call, and the moment when its promise has resolved;
 * - `sent` (gateway): the call is on its way and unanswered;
 * - `uncommitted`, `committed` (ledger): just before, and just after, SQLite's COMMIT of what was called.
 * The step `*` counts every call of every step.
 */
import { flushCompileCache } from "node:module";
import Database from "better-sqlite3";

/** The sandbox books a charge at once and answers after its latency: half of that is in between. */
const ON_ITS_WAY_MS = 3;

let order = null;
let calls = 0;
let armed = null;

/** @param {{ step: string, moment: string, nth: number, signal: "SIGKILL" | "SIGSTOP" }} wanted */
export function stopAt(wanted) {
  order = wanted;
  watchCommits();
}

export function tracedStep(name, call) {
  return async (...args) => {
    const isDue = (order.step === name || order.step === "*") && ++calls === order.nth;
    if (!isDue) {
      return call(...args);
    }
    if (order.moment === "before") {
      stop();
    }
    if (order.moment === "uncommitted" || order.moment === "committed") {
      armed = order.moment;
    }
    const answer = call(...args);
    if (order.moment === "sent") {
      setTimeout(stop, ON_ITS_WAY_MS);
    }
    const result = await answer;
    if (order.moment === "after") {
      stop();
    }
    return result;
  };
}

/** Writes go out in groups: the next COMMIT after a call is the one that carries it. */
function watchCommits() {
  const { prepare } = Database.prototype;
  Database.prototype.prepare = function prepareWatched(sql) {
    const statement = prepare.call(this, sql);
    if (sql !== "COMMIT") {
      return statement;
    }
    const run = statement.run.bind(statement);
    statement.run = (...args) => {
      stopIfArmed("uncommitted");
      const result = run(...args);
      stopIfArmed("committed");
      return result;
    };
    return statement;
  };
}

function stopIfArmed(moment) {
  if (armed === moment) {
    armed = null;
    stop();
  }
}

function stop() {
  // Node writes it at the end of a process, which this one does not have.
  flushCompileCache();
  process.kill(process.pid, order.signal);
}
