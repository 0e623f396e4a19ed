import type { Command } from "commander";
import type { Agent } from "../../agent/agent.ts";
import { INPUTS } from "../../agent/calls/inputs.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { examples, parseNumber } from "../input/parse-arguments.ts";
import { type Layout, PLAIN_LAYOUT } from "../output/layout.ts";
import { formatTable } from "../output/text-table.ts";
import type { RunCommand } from "../program.ts";
import type { Session } from "../session.ts";

/** The number of records without `--limit`. */
const DEFAULT_LIMIT = 100;

type DeliveryRecord = ReturnType<Agent["history"]> extends AsyncIterable<infer Item> ? Item : never;

interface HistoryFlags {
  readonly daysAgo?: number;
  readonly limit: number;
}

export function addHistoryCommand(program: Command, run: RunCommand): void {
  program
    .command("history")
    .description("the gateway's webhook delivery records")
    .option("--days-ago <days>", "how far back (default: the gateway's)", parseNumber(INPUTS.history.daysAgo))
    .option("--limit <count>", "the most records to show", parseNumber(INPUTS.history.limit), DEFAULT_LIMIT)
    .addHelpText(
      "after",
      examples([
        ["licet history --days-ago 7", ""],
        ["licet history --limit 1000 --json", "for a program"],
      ]),
    )
    .action((flags: HistoryFlags) => run((session) => history(session, flags)));
}

function history(session: Session, { daysAgo, limit }: HistoryFlags): Promise<ExitCode> {
  return session.withAgent(async (agent) => {
    const records: DeliveryRecord[] = [];
    for await (const record of agent.history({ limit, daysAgo })) {
      records.push(record);
    }
    await session.print({ records }, (layout) => formatHistory(records, layout));
    return EXIT.done;
  });
}

export function formatHistory(records: readonly DeliveryRecord[], layout: Layout = PLAIN_LAYOUT): string {
  if (records.length === 0) {
    return "The gateway has no delivery records.\n";
  }
  const rows = records.map((record) => ({
    cells: [
      record.lastAttempt ?? "-",
      record.eventType ?? "-",
      String(record.lastStatus ?? "-"),
      String(record.numAttempts ?? "-"),
      record.contentUrl ?? "-",
      record.deliveryUrl ?? "-",
    ],
  }));
  return formatTable(
    [
      { title: "last attempt" },
      { title: "event" },
      { title: "status", align: "right" },
      { title: "attempts", align: "right" },
      { title: "page", below: true },
      { title: "delivered to", below: true },
    ],
    rows,
    layout,
  );
}
