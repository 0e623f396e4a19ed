/** What processes of the world log: a line of the trace each. A message that asks for a report of a bug is a bug of the world. */
import type { ServiceLog } from "../../src/serve/log/service-log.ts";
import { bug, type Halt } from "./halt.ts";

export interface ProcessLogs {
  /** @param hear is told each message that its reader is meant to see */
  of(who: string, hear?: (message: string) => void): ServiceLog;
  /** @throws Halt when one of them has logged a bug */
  requireNoBug(): void;
}

export function createProcessLogs(note: (line: () => string) => void): ProcessLogs {
  let halt: Halt | null = null;
  return {
    of: (who, hear = () => {}) => {
      const say: ServiceLog["info"] = (message, fields) => {
        hear(message);
        note(() => `${who}: ${message}`);
        if (message.includes("please report it")) {
          halt ??= bug(`${who}: ${message} ${JSON.stringify(fields ?? {})}`);
        }
      };
      return { debug: () => {}, info: say, warn: say };
    },
    requireNoBug: () => {
      if (halt !== null) {
        throw halt;
      }
    },
  };
}
