/** What a reader of a run's report has to look at, the most important first, and apart from it where a limit ended the buying. */
import type { RunReport } from "../../agent/runs/run-report.ts";
import { isLimited, type RunState } from "../../run/run-state.ts";
import { plural } from "../output/format-values.ts";
import { formatHost } from "../output/host-name.ts";

type Sites = RunReport["sites"];
type Noted = Pick<RunReport, "runId" | "sites" | "pages">;

/** Money that may be lost, then what keeps a site from being bought, then what is only odd. */
export function listToCheck({ runId, sites, pages }: Noted): string[] {
  const doubts = `${plural(pages.inDoubt, "page")} in doubt, perhaps charged: licet runs ${runId} --state in_doubt, then licet resolve`;
  return [
    ...(pages.inDoubt === 0 ? [] : [doubts]),
    ...ofEach(sites, ({ empty }) => (empty === 0 ? null : `${empty} pages that were charged came without content`)),
    ...sites.flatMap((site) => (isOfLimit(site) ? [] : describeStop(site))),
    ...ofEach(sites, ({ walkWarning }) => walkWarning),
    ...ofEach(sites, ({ rejected }) =>
      rejected === 0 ? null : `${rejected} catalog entries are not pages of this site`,
    ),
  ];
}

/** Where nothing more was bought because somebody set a limit: nothing is wrong. */
export function listLimits(sites: Sites): string[] {
  return sites.flatMap((site) => [
    ...(isOfLimit(site) ? describeStop(site) : []),
    ...(site.stop === null ? Object.entries(site.exhausted) : []).map(
      ([currency, budget]) =>
        `${formatHost(site.host)}: pages priced in ${currency} were left, its ${budget} is used up`,
    ),
  ]);
}

function ofEach(sites: Sites, say: (site: Sites[number]) => string | null): string[] {
  return sites.flatMap((site) => {
    const said = say(site);
    return said === null ? [] : [`${formatHost(site.host)}: ${said}`];
  });
}

function isOfLimit({ stop }: Sites[number]): boolean {
  return isLimited(stop as RunState);
}

function describeStop({ host, stop, stopDetail }: Sites[number]): string[] {
  return stop === null
    ? []
    : [`${formatHost(host)} was stopped (${stop})${stopDetail === null ? "" : `: ${stopDetail}`}`];
}
