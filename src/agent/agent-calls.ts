/** The calls of one agent: refused once it is closed, and waited for when it closes. */
import { LicetError } from "../errors.ts";

export interface AgentCalls {
  /** Wrong arguments reject, too: never a throw that a `catch` of the promise misses. */
  call<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  /** Checked at each step: an agent may be closed while somebody still reads. */
  each<Item>(name: string, open: () => AsyncIterable<Item>): AsyncIterableIterator<Item>;
  /** Refuses what comes from now on and waits for what is under way: closing the ledger below a settlement would lose what was paid for. */
  close(): Promise<void>;
}

export function createAgentCalls(): AgentCalls {
  const underway = new Set<Promise<unknown>>();
  let isClosed = false;

  function assertOpen(name: string): void {
    if (isClosed) {
      throw new LicetError("USAGE_INVALID", `${name}: this agent is closed`, {
        hint: "make another one: createAgent(config)",
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
