/** The calls of one agent. A closed agent refuses new calls, and `close()` waits for the calls in flight. */
import { LicetError } from "../../errors.ts";

export interface AgentCalls {
  /**
   * Wrong arguments reject the promise too. The call never throws synchronously, because a `catch` of the promise would miss
   * that.
   */
  call<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  /** Checked at each step, because the agent may be closed during the iteration. */
  each<Item>(name: string, open: () => AsyncIterable<Item>): AsyncIterableIterator<Item>;
  /**
   * Refuses new calls and waits for calls in flight. If the ledger closed during a settlement, content that was paid for would be
   * lost.
   */
  close(): Promise<void>;
}

export function createAgentCalls(): AgentCalls {
  const underway = new Set<Promise<unknown>>();
  let isClosed = false;

  function assertOpen(name: string): void {
    if (isClosed) {
      throw new LicetError("USAGE_INVALID", `${name}: this agent is closed`, {
        hint: "create another one: createAgent(config)",
      });
    }
  }

  function track<Result>(work: Promise<Result>): Promise<Result> {
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    underway.add(settled);
    settled.finally(() => underway.delete(settled));
    return work;
  }

  async function begin<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    assertOpen(name);
    return await work();
  }

  return {
    call: (name, work) => track(begin(name, work)),
    async *each(name, open) {
      assertOpen(name);
      for await (const item of open()) {
        yield item;
        assertOpen(name);
      }
    },
    close: async () => {
      isClosed = true;
      await Promise.all(underway);
    },
  };
}
