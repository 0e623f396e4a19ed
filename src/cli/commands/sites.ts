import { INPUTS } from "../../agent/calls/inputs.ts";
import type { SitesOptions } from "../../agent/sites/sites-report.ts";
import type { Money } from "../../money/money.ts";
import type { CliCommand } from "../cli-command.ts";
import { parseMoneyArgument } from "../input/parse-arguments.ts";
import { parseHost } from "../output/host-name.ts";
import type { RunCommand } from "../program.ts";
import { formatSite, formatSites } from "../reports/site-table.ts";

interface SitesFlags extends SitesOptions {
  readonly maxPrice?: Money;
}

export function addSitesCommand(program: CliCommand, run: RunCommand): void {
  program
    .command("sites")
    .argument("[host]", "one site: also the age of what is stored, 30 days of spend, and its prices", parseHost)
    .description("the sites: state, stop, last run, stored pages, spend, next slot; or one of them")
    .option("--max-price <amount>", "of one site: what would this maxPrice have bought?", parseMoneyArgument)
    .limit("at most so many sites (default: 50)", INPUTS.sites.limit)
    .cursor(INPUTS.sites.cursor)
    .examples([
      ["licet sites", ""],
      ['licet sites news.example --max-price "0.02 USD"', "what would 0.02 have bought?"],
      ["licet sites --json | jq '.sites[] | select(.state == \"stopped\")'", "for a program"],
    ])
    .action((host: string | undefined, flags: SitesFlags) =>
      run((session) => {
        const { maxPrice, ...page } = flags;
        return host === undefined
          ? session.answerFromLedger((agent) => agent.sites(page), formatSites)
          : session.answerFromLedger((agent) => agent.siteDetails(host, { maxPrice }), formatSite);
      }),
    );
}
