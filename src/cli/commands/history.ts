import type { Agent } from "../../agent/agent.ts";
import { INPUTS } from "../../agent/calls/inputs.ts";
import type { CliCommand } from "../cli-command.ts";
import type { ExitCode } from "../exit-code.ts";
import { parseNumber } from "../input/parse-arguments.ts";
import { type Layout, PLAIN_LAYOUT } from "../output/layout.ts";
import { listTable } from "../output/text-table.ts";
import type { Session } from "../session.ts";

/** The number of records without `--limit`. */
const DEFAULT_LIMIT = 100;

type DeliveryRecord = ReturnType<Agent["history"]> extends AsyncIterable<infer Item> ? Item : never;

interface HistoryFlags {
  readonly daysAgo?: number;
  readonly limit: number;
}

export function declareHistory(command: CliCommand): void {
  command
    .option("--days-ago <days>", "how far back (default: the gateway's)", parseNumber(INPUTS.history.daysAgo))
    .option("--limit <count>", "the most records to show", parseNumber(INPUTS.history.limit), DEFAULT_LIMIT)
    .examples([
      ["licet history --days-ago 7", ""],
      ["licet history --limit 1000 --json", "for a program"],
    ])
    .does(history);
}

function history(session: Session, { daysAgo, limit }: HistoryFlags): Promise<ExitCode> {
  return session.answerFromAgent(
    async (agent) => {
      const records: DeliveryRecord[] = [];
      for await (const record of agent.history({ limit, daysAgo })) {
        records.push(record);
      }
      return { records };
    },
    ({ records }, layout) => formatHistory(records, layout),
  );
}

export function formatHistory(records: readonly DeliveryRecord[], layout: Layout = PLAIN_LAYOUT): string {
  if (records.length === 0) {
    return "The gateway has no delivery records.\n";
  }
  return listTable(
    records,
    [
      { title: "last attempt", cell: ({ lastAttempt }) => lastAttempt ?? "-" },
      { title: "event", cell: ({ eventType }) => eventType ?? "-" },
      { title: "status", align: "right", cell: ({ lastStatus }) => String(lastStatus ?? "-") },
      { title: "attempts", align: "right", cell: ({ numAttempts }) => String(numAttempts ?? "-") },
      { title: "page", below: true, cell: ({ contentUrl }) => contentUrl ?? "-" },
      { title: "delivered to", below: true, cell: ({ deliveryUrl }) => deliveryUrl ?? "-" },
    ],
    layout,
  );
}
