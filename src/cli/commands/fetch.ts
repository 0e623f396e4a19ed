import type { Agent } from "../../agent/agent.ts";
import type { FetchOptions, FetchReport, FetchResult } from "../../agent/fetch/fetch-report.ts";
import { LicetError } from "../../errors.ts";
import { formatListedPrice } from "../../money/listed-price.ts";
import type { Money } from "../../money/money.ts";
import { plainLines, plainText } from "../../plain-text.ts";
import type { CliCommand } from "../cli-command.ts";
import { type ExitCode, exitCodeOfFetch } from "../exit-code.ts";
import { parseMoneyArgument } from "../input/parse-arguments.ts";
import { watchInterrupts } from "../interrupts.ts";
import { createEventLog } from "../log/event-log.ts";
import { listen } from "../progress/progress-counts.ts";
import type { Session } from "../session.ts";

interface FetchFlags {
  readonly maxPrice?: Money;
  readonly maxSpend?: Money;
  readonly held?: true;
  readonly trustClock?: true;
}

export function declareFetch(command: CliCommand): void {
  command
    .argument("[url...]", "the pages; - reads them from stdin, one a line")
    .option("--max-price <amount>", 'no page may cost more, its fee included, such as "0.05 USD"', parseMoneyArgument)
    .option("--max-spend <amount>", 'buy for no more than this in all, such as "1 USD"', parseMoneyArgument)
    .option("--held", "buy nothing: only what is held")
    .option(
      "--trust-clock",
      "the clock is right, although the ledger has newer rows: it was ahead when they were written",
    )
    .examples([
      ["licet fetch https://news.example/2026/article", "its Markdown on stdout, the facts on stderr"],
      ['licet fetch --max-price "0.02 USD" --json URL URL', "one JSON document with a result for each URL"],
      ["licet fetch - < urls.txt", "the URLs from stdin"],
    ])
    .does(fetchPages);
}

async function fetchPages(session: Session, given: readonly string[], flags: FetchFlags): Promise<ExitCode> {
  const urls = await readUrls(session, given);
  return session.withAgent(async (agent) => {
    const report = await watchedFetch(session, agent, urls, flags);
    if (session.json) {
      await session.print(report, () => "");
    } else {
      await printFacts(session, report);
      await session.print(report, () => formatContents(report));
    }
    return exitCodeOfFetch(report);
  });
}

async function readUrls({ io }: Session, given: readonly string[]): Promise<readonly string[]> {
  const [first, ...more] = given;
  if (first === undefined || (first === "-" && more.length > 0)) {
    throw new LicetError("USAGE_INVALID", first === undefined ? "no URL was given" : "- stands alone", {
      hint: "licet fetch URL…, or licet fetch - with URLs on stdin, one a line",
    });
  }
  if (first !== "-") {
    return given;
  }
  const { readFetchedUrls } = await import("../input/fetched-urls.ts");
  return readFetchedUrls(io.stdin);
}

async function watchedFetch(
  { io, logging }: Session,
  agent: Agent,
  urls: readonly string[],
  { held, ...limits }: FetchFlags,
): Promise<FetchReport> {
  const log = createEventLog(io, logging);
  const interrupts = watchInterrupts(io, {
    say: log.warn,
    finishing: "started purchases are being finished",
    farewell: () => "nothing is lost; the next run or fetch continues",
  });
  const listeners = [
    listen(agent, "ledger.new", ({ path }) => log.warn(`new ledger: nothing was ever recorded in ${path}`)),
    listen(agent, "warning", ({ message }) => log.warn(message)),
    listen(agent, "site.stopped", ({ host, stop, detail }) => log.warn(`${host} is stopped (${stop}): ${detail}`)),
  ];
  const options: FetchOptions = {
    ...limits,
    storedOnly: held,
    deriveMarkdown: true,
    signal: interrupts.signal,
  };
  try {
    return await agent.fetch(urls, options);
  } finally {
    for (const stop of listeners) {
      stop();
    }
    interrupts.stop();
  }
}

/** One line a page on stderr: what came of it, and what it cost. */
async function printFacts({ io, logging }: Session, { results }: FetchReport): Promise<void> {
  for (const result of results) {
    const isAnswered = result.document !== null;
    if (logging.level === "info" || logging.level === "debug" || !isAnswered) {
      const hint = result.hint === null ? "" : `  hint: ${plainText(result.hint)}\n`;
      await io.stderr.write(`licet: ${plainText(describe(result))}\n${hint}`);
    }
  }
}

function describe(result: FetchResult): string {
  const { url, outcome, reason, detail, document } = result;
  if (document === null) {
    return `${url}: ${outcome.replaceAll("_", " ")} (${reason})${detail === null ? "" : `: ${detail}`}`;
  }
  const license = document.license?.licenseType ?? "indexed only";
  const cost = formatListedPrice(result) ?? "free";
  return `${url}: ${outcome}, ${license}, ${cost}, stored ${new Date(document.boughtAt).toISOString()}`;
}

/** The Markdown alone for one page. Several pages have a line with their URL before each. */
function formatContents({ results }: FetchReport): string {
  const isOne = results.length === 1;
  return results
    .flatMap(({ url, document }) => {
      const text = document?.markdown ?? document?.html ?? null;
      return text === null ? [] : [`${isOne ? "" : `<!-- ${plainText(url)} -->\n\n`}${plainLines(text).trimEnd()}\n`];
    })
    .join("\n");
}
