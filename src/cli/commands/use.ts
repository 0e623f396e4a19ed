import type { UseInput, UseReport } from "../../agent/agent.ts";
import { count } from "../../agent/calls/fields.ts";
import { LicetError } from "../../errors.ts";
import { plainText } from "../../plain-text.ts";
import type { CliCommand } from "../cli-command.ts";
import { type ExitCode, exitCodeOfUse } from "../exit-code.ts";
import { parseNumber } from "../input/parse-arguments.ts";
import { readSourceFile } from "../input/source-file.ts";
import { type BadLine, readUses } from "../input/use-file.ts";
import { formatAmount, formatInstant, plural } from "../output/format-values.ts";
import type { Session } from "../session.ts";

/** Uses after the end of the rights that are shown. `--json` has more. */
const SHOWN_AFTER_RIGHTS = 10;
/** Bad lines in the report. All bad lines are counted. */
const MAX_BAD_LINES = 1_000;

const SOURCE_HINT = "--from names a JSONL file, or - for stdin";

interface UseFlags {
  readonly times?: number;
  readonly at?: string;
  readonly key?: string;
  readonly from?: string;
  readonly overBudget?: true;
  readonly dryRun?: true;
}

/** The agent's report, with the counts of the command. */
interface UseOutcome extends UseReport {
  /** `refused` and `badLines` are bounded lists. These counts include everything. */
  readonly refusedCount: number;
  readonly badLineCount: number;
  readonly badLines: readonly BadLine[];
}

export function declareUse(command: CliCommand): void {
  command
    .argument("[url]", "the page that was used")
    .option("--times <count>", "how often (default: 1)", parseNumber(count))
    .option("--at <instant>", "when, as ISO 8601 (default: now)")
    .option("--key <key>", "a name for this use: recording it again changes nothing")
    .option("--from <file>", 'lines of {"url", "times"?, "usedAt"?, "key"?}; - is stdin')
    .option("--over-budget", "also record a use that exceeds a budget, because it has happened; exit code 3")
    .option("--dry-run", "show what would be recorded and reserved, and record nothing")
    .examples([
      ["licet use https://news.example/2026/article --times 3", ""],
      ["licet use --from uses.jsonl", "one JSON object a line"],
      ["zcat uses.jsonl.gz | licet use --from -", "however many: memory stays flat"],
    ])
    .does(use);
}

async function use(session: Session, url: string | undefined, flags: UseFlags): Promise<ExitCode> {
  assertOneSource(url, flags);
  const outcome = await record(session, url, flags);
  await session.print(outcome, () => formatUse(outcome));
  if (!session.json) {
    await session.io.stderr.write(formatProblems(outcome, flags.from));
  }
  const { refusedCount: refused, badLineCount: badLines, overBudget } = outcome;
  return exitCodeOfUse({ refused, badLines, overBudget });
}

function assertOneSource(url: string | undefined, { times, at, key, from }: UseFlags): void {
  if ((url === undefined) === (from === undefined)) {
    throw new LicetError("USAGE_INVALID", "name either a URL or a file of uses", {
      hint: "licet use URL [--times N], or licet use --from FILE.jsonl",
    });
  }
  if (from !== undefined && (times !== undefined || at !== undefined || key !== undefined)) {
    throw new LicetError("USAGE_INVALID", "--times, --at and --key belong to a single URL, not to --from", {
      hint: 'In a file each line has its own: {"url": "…", "times": 2, "usedAt": "…", "key": "…"}',
    });
  }
}

function record(session: Session, url: string | undefined, flags: UseFlags): Promise<UseOutcome> {
  return session.withAgent(async (agent) => {
    const badLines: BadLine[] = [];
    let badLineCount = 0;
    let given = 0;
    const onBadLine = (bad: BadLine) => {
      badLineCount++;
      if (badLines.length < MAX_BAD_LINES) {
        badLines.push(bad);
      }
    };
    async function* counted(uses: Iterable<UseInput> | AsyncIterable<UseInput>): AsyncGenerator<UseInput> {
      for await (const one of uses) {
        given++;
        yield one;
      }
    }
    const uses =
      flags.from === undefined
        ? [toUse(url ?? "", flags)]
        : readUses(readSourceFile(session, flags.from, SOURCE_HINT), onBadLine);
    const report = await agent.use(counted(uses), {
      overBudget: flags.overBudget === true,
      dryRun: flags.dryRun === true,
    });
    return { ...report, refusedCount: given - report.recorded - report.repeated, badLineCount, badLines };
  });
}

function toUse(url: string, { times, at, key }: UseFlags): UseInput {
  return {
    url,
    times,
    usedAt: at,
    key,
  };
}

export function formatUse({
  recorded,
  repeated,
  reservedMicros,
  overBudget,
  refusedCount,
  badLineCount,
  dryRun,
}: UseOutcome): string {
  const billed = Object.entries(reservedMicros).filter(([, micros]) => micros > 0);
  const amounts = billed.map(([currency, micros]) => formatAmount(micros, currency));
  return [
    `${dryRun ? "Would record" : "Recorded"} ${plural(recorded, "use")}`,
    repeated === 0 ? "" : `, ${repeated} recorded before`,
    refusedCount === 0 ? "" : `, ${refusedCount} refused`,
    badLineCount === 0 ? "" : `, ${plural(badLineCount, "bad line")}`,
    ".\n",
    amounts.length === 0
      ? ""
      : `${dryRun ? "Would be reserved" : "Reserved"} until they are reported: ${plainText(amounts.join(", "))}\n`,
    overBudget ? "A budget was exceeded: nothing more is bought under it.\n" : "",
  ].join("");
}

function formatProblems(
  { refused, refusedCount, badLines, badLineCount, afterRights, dryRun }: UseOutcome,
  from: string | undefined,
): string {
  const name = from === undefined || from === "-" ? "line " : `${from}:`;
  return [
    ...badLines.map(({ line, reason }) => `licet: ${plainText(`${name}${line}: ${reason}`)}\n`),
    badLineCount > badLines.length ? `licet: … and ${badLineCount - badLines.length} more bad lines\n` : "",
    ...refused.map(({ url, reason }) => `licet: ${plainText(`${url}: ${reason}`)}\n`),
    refusedCount > refused.length ? `licet: … and ${refusedCount - refused.length} more refused uses\n` : "",
    formatAfterRights(afterRights, dryRun),
  ].join("");
}

/** Whoever keeps using a page without the right to do so has to know it. The use is reported all the same, because it has happened. */
function formatAfterRights({ count, pages }: UseReport["afterRights"], dryRun: boolean): string {
  if (count === 0) {
    return "";
  }
  const shown = pages.slice(0, SHOWN_AFTER_RIGHTS);
  const recorded = dryRun ? "would be recorded" : count === 1 ? "was recorded" : "were recorded";
  return [
    `licet: ${plural(count, "use")} ${recorded} although the rights to the page had ended before: stop using it, or license it again\n`,
    ...shown.map(({ url, usedAt, endedAt, why }) => {
      const because = why === "retention" ? "by the policy's retention" : "with the licence";
      return `licet: ${plainText(url)}: used ${formatInstant(usedAt)} UTC, rights ended ${formatInstant(endedAt)} UTC ${because}\n`;
    }),
    count > shown.length ? `licet: … and ${count - shown.length} more\n` : "",
  ].join("");
}
