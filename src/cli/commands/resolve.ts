import type { ActingOptions } from "../../agent/acts/acted-by.ts";
import type { Agent } from "../../agent/agent.ts";
import { count } from "../../agent/calls/fields.ts";
import { INPUTS } from "../../agent/calls/inputs.ts";
import type { AppliedInvoice, DoubtWord, ResolvedMany } from "../../agent/resolve/doubt-word.ts";
import { LicetError } from "../../errors.ts";
import type { ResolvedPurchase } from "../../ledger/purchase-ledger.ts";
import type { OpenItem, ResolvedReport } from "../../ledger/usage-ledger.ts";
import { plainText } from "../../plain-text.ts";
import type { CliCommand } from "../cli-command.ts";
import { type ExitCode, exitCodeOfResolve } from "../exit-code.ts";
import { type BadInvoiceLine, readInvoice } from "../input/invoice-file.ts";
import { parseNumber } from "../input/parse-arguments.ts";
import { readSourceFile } from "../input/source-file.ts";
import { formatAmount, plural } from "../output/format-values.ts";
import type { Session } from "../session.ts";

const WORDS = ["charged", "notCharged", "taken", "notTaken", "close"] as const;
type Word = (typeof WORDS)[number];

interface ResolveFlags extends ActingOptions, Partial<Readonly<Record<Word, true>>> {
  readonly keepOff?: true;
  readonly run?: string;
  readonly from?: string;
}

/** Printed lines of each kind. All lines are counted. */
const MAX_LINES = 1_000;

const SOURCE_HINT = "--from names a CSV or JSONL file, or - for stdin";

export function declareResolve(command: CliCommand): void {
  command
    .argument("[id]", "its number, from `licet status`", parseNumber(count))
    .option(
      "--charged",
      "of a purchase: the gateway charged it; its price counts as spent, and the next run buys its page again",
    )
    .option(
      "--not-charged",
      "of a purchase: the gateway did not charge it; its price is free again, and the page may be bought again",
    )
    .option("--keep-off", "with either: the page is not bought again")
    .option("--taken", "of a report: the gateway has its uses; they are settled at the expected price")
    .option("--not-taken", "of a report: the gateway does not have its uses; the report is sent again")
    .option("--close", "of an open item: a person has checked it; a site that it stopped may be bought from again")
    .option("--run <run>", "all purchases in doubt of a run, instead of one number")
    .option(
      "--from <file>",
      "purchases that an invoice names: CSV with a header, or JSON lines, with url or purchaseId, and amount; - is stdin",
    )
    .acting(INPUTS.resolve)
    .examples([
      ["licet status", "lists what can be resolved, with its numbers"],
      ["licet resolve 42 --charged --keep-off", "charged, and not bought again"],
      ["licet resolve 42 --not-charged", ""],
      ["licet resolve --run run_0mi5c2k1x8f3 --not-charged", "all purchases in doubt of a run"],
      ["licet resolve --from invoice.csv --charged", "the purchases on the gateway's invoice"],
      ["licet resolve 3 --taken", "a report that the gateway has"],
      ['licet resolve 7 --close --by anna --reason "checked with the gateway"', "an open item, and who closed it"],
    ])
    .does(resolve);
}

function resolve(session: Session, id: number | undefined, flags: ResolveFlags): Promise<ExitCode> {
  const word = readWord(id, flags);
  const { by, reason } = flags;
  const acting = { by, reason };
  return session.withLedger(async (agent) => {
    if (id === undefined) {
      const doubt = { charged: word === "charged", keepOff: flags.keepOff === true, ...acting };
      return resolveMany(session, agent, flags, doubt);
    }
    switch (word) {
      case "charged":
      case "notCharged": {
        const resolved = await agent.resolve(id, word === "charged", { keepOff: flags.keepOff === true, ...acting });
        await session.print(resolved, () => formatPurchase(resolved));
        break;
      }
      case "taken":
      case "notTaken": {
        const resolved = await agent.resolveReport(id, word === "taken", acting);
        await session.print(resolved, () => formatReport(resolved));
        break;
      }
      case "close": {
        const closed = await agent.closeItem(id, acting);
        await session.print({ ...closed, state: "closed" }, () => formatItem(closed));
        break;
      }
      default:
        word satisfies never;
    }
    return exitCodeOfResolve({ unmatched: 0, badLines: 0 });
  });
}

/** @throws LicetError USAGE_INVALID for arguments that cannot be combined */
function readWord(id: number | undefined, flags: ResolveFlags): Word {
  const { run, from, keepOff } = flags;
  if ([id, run, from].filter((one) => one !== undefined).length !== 1) {
    throw new LicetError("USAGE_INVALID", "name what to resolve: one number, --run RUN or --from FILE", {
      hint: "licet status lists what can be resolved, with its numbers",
    });
  }
  const given = WORDS.filter((word) => flags[word] === true);
  // An invoice lists charged purchases.
  const [word] = given.length === 0 && from !== undefined ? (["charged"] as const) : given;
  const allowed: readonly Word[] = id === undefined ? ["charged", "notCharged"] : WORDS;
  if (word === undefined || given.length > 1 || !allowed.includes(word)) {
    throw new LicetError(
      "USAGE_INVALID",
      id === undefined
        ? "use exactly one of --charged and --not-charged"
        : "use exactly one of --charged, --not-charged, --taken, --not-taken and --close",
      { hint: `licet resolve ${id ?? (run === undefined ? "--from FILE" : "--run RUN")} --charged, or --not-charged` },
    );
  }
  if (keepOff === true && word !== "charged" && word !== "notCharged") {
    throw new LicetError("USAGE_INVALID", "--keep-off concerns the page of a purchase in doubt", {
      hint: "use it with --charged or --not-charged",
    });
  }
  return word;
}

async function resolveMany(session: Session, agent: Agent, flags: ResolveFlags, word: DoubtWord): Promise<ExitCode> {
  const badLines: BadInvoiceLine[] = [];
  const many: ResolvedMany | AppliedInvoice =
    flags.run !== undefined
      ? await agent.resolveRun(flags.run, word)
      : await agent.resolveInvoice(
          readInvoice(readSourceFile(session, flags.from ?? "-", SOURCE_HINT), (bad) => badLines.push(bad)),
          word,
        );
  const left = (await agent.status()).inDoubt.length;
  await session.print({ ...many, badLines, inDoubt: left }, () => formatMany(many, left));
  if (!session.json) {
    await session.io.stderr.write(formatMisses([...badLines, ...many.unmatched]));
  }
  return exitCodeOfResolve({ unmatched: many.unmatched.length, badLines: badLines.length });
}

function formatPurchase({ purchaseId, state, url, spentMicros, currency, keptOff }: ResolvedPurchase): string {
  const price = spentMicros === null ? "" : ` at ${formatAmount(spentMicros, currency)}`;
  return `${plainText(`Purchase ${purchaseId} is ${state}${price}: ${url}`)}\n${describeNext(keptOff)}`;
}

/** The content never arrived. */
function describeNext(keptOff: boolean): string {
  return keptOff
    ? "The page is kept off: no run buys it again.\n"
    : "Its content was lost: the next run buys this page again, unless it is resolved with --keep-off.\n";
}

function formatReport({ batchId, state, uses }: ResolvedReport): string {
  return state === "settled"
    ? `Report ${batchId} was taken: ${plural(uses, "use")} settled at the expected price.\n`
    : `Report ${batchId} was not taken: the next run or licet report sends it again.\n`;
}

function formatItem({ id, kind, host }: OpenItem): string {
  const site = host === null ? "" : ` ${host} may be bought from again.`;
  return `${plainText(`Open item ${id} (${kind}) is closed.${site}`)}\n`;
}

function formatMany(many: ResolvedMany | AppliedInvoice, left: number): string {
  const { resolved } = many;
  const [first] = resolved;
  const rows = resolved.slice(0, MAX_LINES).map(({ purchaseId, state, url }) => `  ${purchaseId} ${state} ${url}`);
  return [
    `${plural(resolved.length, "purchase")} resolved; ${left} still in doubt.\n`,
    "lines" in many ? formatLines(many.lines) : "",
    ...rows.map((row) => `${plainText(row)}\n`),
    resolved.length > MAX_LINES ? `  … and ${resolved.length - MAX_LINES} more\n` : "",
    first === undefined
      ? ""
      : first.keptOff
        ? "The pages are kept off: no run buys them again.\n"
        : "Their content was lost: the next run buys these pages again, unless they are resolved with --keep-off.\n",
  ].join("");
}

/** Which purchases the lines of an invoice account for. */
function formatLines({ settled, released, started, inDoubt, unmatched }: AppliedInvoice["lines"]): string {
  const parts = [
    `${plural(inDoubt, "line")} for purchases in doubt`,
    `${settled} for settled ones`,
    ...(released === 0 ? [] : [`${released} for those that were not charged`]),
    ...(started === 0 ? [] : [`${started} for those that are under way`]),
  ];
  return `${parts.join(", ")}; ${unmatched} without a match.\n`;
}

function formatMisses(lines: readonly BadInvoiceLine[]): string {
  return [
    ...lines.slice(0, MAX_LINES).map(({ line, reason }) => `licet: ${plainText(`line ${line}: ${reason}`)}\n`),
    lines.length > MAX_LINES ? `licet: … and ${lines.length - MAX_LINES} more\n` : "",
  ].join("");
}
