/** Readers of documents over one ledger: each is a process of its own, which can be killed at any call of the ledger. */
import type { Resources } from "../../src/agent/compose.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { NOON } from "./ledger-shop.ts";

export class Killed extends Error {}

export interface Kill {
  /** The nth call of the ledger. */
  readonly call: number;
  readonly moment: "before" | "after";
}

export interface ReaderWorld {
  /** A new process. After its kill each further call fails too. */
  start(kill?: Kill | null): Resources;
}

export function createReaders(ledger: Ledger): ReaderWorld {
  let started = 0;
  const alive = new Set<string>();
  return {
    start: (kill = null) => {
      const own = `here:${++started}:p`;
      let calls = 0;
      let isDead = false;
      const die = () => {
        isDead = true;
        alive.delete(own);
        throw new Killed();
      };
      const traced = new Proxy(ledger, {
        get: (target, name) => {
          const method = target[name as keyof Ledger];
          if (typeof method !== "function") {
            return method;
          }
          return async (...args: unknown[]) => {
            calls++;
            if (isDead || (calls === kill?.call && kill.moment === "before")) {
              die();
            }
            const result: unknown = await (method as (...all: unknown[]) => unknown).apply(target, args);
            if (calls === kill?.call && kill.moment === "after") {
              die();
            }
            return result;
          };
        },
      });
      return {
        ledger: async () => traced,
        clock: { now: () => NOON },
        config: { sites: [], policies: new Map() },
        processes: {
          begin: () => {
            alive.add(own);
            return own;
          },
          end: (name: string) => alive.delete(name),
          hasEnded: (name: string) => !alive.has(name),
        },
      } as unknown as Resources;
    },
  };
}
