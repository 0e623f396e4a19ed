import type { Command } from "commander";
import { INPUTS } from "../../agent/calls/inputs.ts";
import type { SitesOptions } from "../../agent/sites/sites-report.ts";
import type { Money } from "../../money/money.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { examples, parseMoneyArgument, parseNumber, parseText } from "../input/parse-arguments.ts";
import { parseHost } from "../output/host-name.ts";
import type { RunCommand } from "../program.ts";
import { formatSite, formatSites } from "../reports/site-table.ts";
import type { Session } from "../session.ts";

interface SitesFlags extends SitesOptions {
  readonly maxPrice?: Money;
}

export function addSitesCommand(program: Command, run: RunCommand): void {
  program
    .command("sites")
    .argument("[host]", "one site: also the age of what is stored, 30 days of spend, and its prices", parseHost)
    .description("the sites: state, stop, last run, stored pages, spend, next slot; or one of them")
    .option("--max-price <amount>", "of one site: what would this maxPrice have bought?", parseMoneyArgument)
    .option("--limit <count>", "at most so many sites (default: 50)", parseNumber(INPUTS.sites.limit))
    .option("--cursor <cursor>", "read on behind an earlier page: its nextCursor", parseText(INPUTS.sites.cursor))
    .addHelpText(
      "after",
      examples([
        ["licet sites", ""],
        ['licet sites news.example --max-price "0.02 USD"', "what would 0.02 have bought?"],
        ["licet sites --json | jq '.sites[] | select(.state == \"stopped\")'", "for a program"],
      ]),
    )
    .action((host: string | undefined, flags: SitesFlags) => run((session) => showSites(session, host, flags)));
}

function showSites(session: Session, host: string | undefined, { maxPrice, ...flags }: SitesFlags): Promise<ExitCode> {
  return session.withLedger(async (agent) => {
    if (host === undefined) {
      const report = await agent.sites(flags);
      await session.print(report, (layout) => formatSites(report, layout));
    } else {
      const details = await agent.siteDetails(host, { maxPrice });
      await session.print(details, (layout) => formatSite(details, layout));
    }
    return EXIT.done;
  });
}
