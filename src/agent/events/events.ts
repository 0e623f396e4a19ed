import { EventEmitter } from "node:events";
import { messageOf } from "../../errors.ts";
import type { RequestEvent } from "../../gateway/client-options.ts";
import type { GatewayRetry } from "../../gateway/gateway.ts";
import type { RunSummary } from "../../ledger/ledger-reports.ts";
import type { Micros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";

/** The events of an agent. They are plain data; text in them may come from the network. */
export interface AgentEvents {
  /** No run was recorded in this ledger before. This is the first event of a run, because a mistyped path has this effect. */
  readonly "ledger.new": { readonly path: string };
  /** The ledger is a copy that no person has accepted: it can be read, and refuses every change. Once for each agent. */
  readonly "ledger.restored": { readonly path: string; readonly madeAt: string };
  /** `before`: what a resumed run had done when it was resumed. Null for a new run. */
  readonly "run.started": {
    readonly runId: string;
    readonly hosts: readonly string[];
    readonly resumed: boolean;
    readonly before: Pick<RunSummary, "sites" | "pages" | "spend"> | null;
  };
  readonly "run.ended": { readonly runId: string; readonly state: string };
  readonly "site.stopped": { readonly host: string; readonly stop: string; readonly detail: string };
  /** `candidates`: pages that are worth a quote. `ended`: this was the last page of the catalog, so no more of them come. */
  readonly "walk.page": {
    readonly host: string;
    readonly seen: number;
    readonly candidates: number;
    readonly ended: boolean;
  };
  readonly "pages.decided": {
    readonly host: string;
    readonly approved: number;
    readonly denied: Readonly<Record<string, number>>;
  };
  /** The charge without the fee. Null for a page that was only indexed. */
  readonly "page.bought": {
    readonly url: string;
    readonly chargedMicros: Micros | null;
    readonly currency: Currency | null;
  };
  readonly "page.failed": { readonly url: string; readonly reason: string; readonly detail: string };
  readonly "page.in_doubt": {
    readonly url: string;
    readonly reason: string;
    readonly quotedMicros: Micros | null;
    readonly currency: Currency | null;
  };
  /** `chargedMicros` counts the billed uses, by currency. */
  readonly "usage.reported": {
    readonly entries: number;
    readonly uses: number;
    readonly chargedMicros: Readonly<Record<Currency, Micros>>;
  };
  /** The gateway gave no usable answer, and the request is sent again. At most two a second of each call, of plan, run, cancel and report. */
  readonly "gateway.retry": GatewayRetry;
  /** A request to the gateway has ended. For debugging: it is not emitted when nobody listens. */
  readonly "gateway.request": RequestEvent;
  /** A problem that does not end the run. */
  readonly warning: { readonly message: string };
}

/** The names of all events, each with the names of its fields. docs/vocabulary.md says what they mean. */
export const AGENT_EVENT_FIELDS: {
  readonly [Name in keyof AgentEvents]: Readonly<Record<keyof AgentEvents[Name], true>>;
} = {
  "ledger.new": { path: true },
  "ledger.restored": { path: true, madeAt: true },
  "run.started": { runId: true, hosts: true, resumed: true, before: true },
  "run.ended": { runId: true, state: true },
  "site.stopped": { host: true, stop: true, detail: true },
  "walk.page": { host: true, seen: true, candidates: true, ended: true },
  "pages.decided": { host: true, approved: true, denied: true },
  "page.bought": { url: true, chargedMicros: true, currency: true },
  "page.failed": { url: true, reason: true, detail: true },
  "page.in_doubt": { url: true, reason: true, quotedMicros: true, currency: true },
  "usage.reported": { entries: true, uses: true, chargedMicros: true },
  "gateway.retry": { call: true, because: true, status: true, attempt: true, attempts: true, waitMs: true },
  "gateway.request": { call: true, method: true, url: true, status: true, failure: true, durationMs: true },
  warning: { message: true },
};
/** The names of all events. */
export const AGENT_EVENTS: readonly string[] = Object.keys(AGENT_EVENT_FIELDS);

/** The typed emitter behind `agent.on`. */
export class EventBus {
  readonly #emitter = new EventEmitter().setMaxListeners(0);

  /**
   * Never throws: an error in a listener must not end a crawl, and above all not between a charge and its settlement. The error
   * becomes a warning of the process.
   */
  emit<Name extends keyof AgentEvents>(name: Name, event: AgentEvents[Name]): void {
    for (const listener of this.#emitter.listeners(name)) {
      try {
        listener(event);
      } catch (error) {
        process.emitWarning(`a listener of ${name} threw: ${messageOf(error)}`);
      }
    }
  }

  listensTo(name: keyof AgentEvents): boolean {
    return this.#emitter.listenerCount(name) > 0;
  }

  on<Name extends keyof AgentEvents>(name: Name, listener: (event: AgentEvents[Name]) => void): void {
    this.#emitter.on(name, listener);
  }

  /** Keeps what is emitted before anybody can listen. @returns a function that emits it again */
  hold<Name extends keyof AgentEvents>(name: Name): () => void {
    const held: AgentEvents[Name][] = [];
    const keep = (event: AgentEvents[Name]) => void held.push(event);
    this.on(name, keep);
    return () => {
      this.off(name, keep);
      for (const event of held) {
        this.emit(name, event);
      }
    };
  }

  off<Name extends keyof AgentEvents>(name: Name, listener: (event: AgentEvents[Name]) => void): void {
    this.#emitter.off(name, listener);
  }
}
