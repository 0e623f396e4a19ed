/**
 * An agent under the configuration as it is now, for a process that lives long: the files are read again before each piece of work. A
 * configuration that is invalid now lets nothing begin: nobody knows which of its rules somebody meant to change.
 */
import { isDeepStrictEqual } from "node:util";
import type { Agent } from "../agent/agent.ts";
import type { Config } from "../config/config.ts";

export interface CurrentAgent {
  /** @throws LicetError CONFIG_*, ENV_MISSING when the configuration cannot be read now; what the work throws */
  withAgent<Result>(work: (agent: Agent) => Promise<Result>): Promise<Result>;
  /** Waits for all work. */
  close(): Promise<void>;
}

interface OpenedAgent {
  readonly config: Config;
  readonly agent: Agent;
  /** Pieces of work that it does now. */
  uses: number;
}

export function createCurrentAgent(
  first: Config,
  { load, open }: { readonly load: () => Promise<Config>; readonly open: (config: Config) => Agent },
): CurrentAgent {
  const closing = new Set<Promise<void>>();
  let current: OpenedAgent = { config: first, agent: open(first), uses: 0 };

  function closeUnused(opened: OpenedAgent): void {
    if (opened !== current && opened.uses === 0) {
      const closed = opened.agent.close();
      closing.add(closed);
      closed.finally(() => closing.delete(closed)).catch(() => {});
    }
  }

  function take(config: Config): OpenedAgent {
    if (!isDeepStrictEqual(config, current.config)) {
      const old = current;
      current = { config, agent: open(config), uses: 0 };
      closeUnused(old);
    }
    return current;
  }

  return {
    async withAgent(work) {
      const opened = take(await load());
      opened.uses += 1;
      try {
        return await work(opened.agent);
      } finally {
        opened.uses -= 1;
        closeUnused(opened);
      }
    },
    async close() {
      await Promise.all([...closing, current.agent.close()]);
    },
  };
}
