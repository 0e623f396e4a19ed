import { EventEmitter } from "node:events";
import { messageOf } from "../../errors.ts";
import type { RequestEvent } from "../../gateway/client-options.ts";
import type { GatewayRetry } from "../../gateway/gateway.ts";
import type { RunSummary } from "../../ledger/ledger-reports.ts";
import type { Micros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import type { RunOrder } from "../../policy/rule.ts";
import type { Wait } from "../../run/wait.ts";

/** The events of `agent.on`. Each is one object of plain data; text in it may come from the network. */
export interface AgentEvents {
  /** The ledger has no earlier run. If you expected earlier runs, `ledger.path` is probably wrong. This is the first event of a run. */
  readonly "ledger.new": { readonly path: string };
  /** The ledger is a copy that nobody has accepted: it can be read, and refuses every change until `licet restore --accept`. Once for each agent. */
  readonly "ledger.restored": { readonly path: string; readonly madeAt: string };
  /**
   * A run begins, or continues (`resumed`), in an order and under limits that cover it since its beginning. `before` has its figures until now. Null
   * for a new run.
   */
  readonly "run.started": {
    readonly runId: string;
    readonly hosts: readonly string[];
    readonly resumed: boolean;
    readonly order: RunOrder;
    /** Where the run ends at the latest. Null: there is no such limit. `sites`: the most pages of each site that has such a limit, by host. */
    readonly limits: {
      readonly maxPages: number | null;
      readonly maxSpendMicros: Micros | null;
      readonly currency: Currency | null;
      /** ISO 8601 in UTC. @format date-time */
      readonly deadlineAt: string | null;
      readonly sites: Readonly<Record<string, number>>;
    };
    readonly before: Pick<RunSummary, "sites" | "pages" | "spend"> | null;
  };
  /** The run begins to wait for the gateway, the queue, the ledger or its disk, or goes on (`isOver`). Nothing ends for it. */
  readonly "run.waiting": Wait & { readonly runId: string; readonly isOver: boolean };
  /** The run is over. `state` is one of the run states (docs/vocabulary.md). */
  readonly "run.ended": { readonly runId: string; readonly state: string };
  /** The run stops working on a site. `stop` is one of the site stops. `hosts`: all sites that it stops, such as those of a limit of the run. */
  readonly "site.stopped": {
    readonly host: string;
    readonly stop: string;
    readonly detail: string;
    readonly hosts: readonly string[];
  };
  /** One page of a site's catalog was read. `candidates`: entries that will be quoted. `ended`: it was the last page, so no more of them come. */
  readonly "walk.page": {
    readonly host: string;
    readonly seen: number;
    readonly candidates: number;
    readonly ended: boolean;
  };
  /** Some pages were decided: how many are reserved, and how many are denied by reason. */
  readonly "pages.decided": {
    readonly host: string;
    readonly approved: number;
    readonly denied: Readonly<Record<string, number>>;
  };
  /** A page was bought and is stored. The charge without the fee. Null for a page that was only indexed, which has no fee. */
  readonly "page.bought": {
    readonly url: string;
    readonly chargedMicros: Micros | null;
    readonly feeMicros: Micros;
    readonly currency: Currency | null;
  };
  /** A purchase was released. `reason` is one of the release reasons. */
  readonly "page.failed": { readonly url: string; readonly reason: string; readonly detail: string };
  /** A purchase is in doubt. `reason` is one of the doubt reasons. */
  readonly "page.in_doubt": {
    readonly url: string;
    readonly reason: string;
    readonly quotedMicros: Micros | null;
    readonly currency: Currency | null;
  };
  /** The gateway has taken a report. `chargedMicros` counts the billed uses, by currency. */
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

const NAMES: Readonly<Record<keyof AgentEvents, true>> = {
  "ledger.new": true,
  "ledger.restored": true,
  "run.started": true,
  "run.waiting": true,
  "run.ended": true,
  "site.stopped": true,
  "walk.page": true,
  "pages.decided": true,
  "page.bought": true,
  "page.failed": true,
  "page.in_doubt": true,
  "usage.reported": true,
  "gateway.retry": true,
  "gateway.request": true,
  warning: true,
};
/** The names of all events. */
export const AGENT_EVENTS: readonly string[] = Object.keys(NAMES);

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
