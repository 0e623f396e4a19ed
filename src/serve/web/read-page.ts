/** How what a page or an action shows is asked and read. */
import { createReports } from "../../agent/reports/reports.ts";
import type { Snapshots } from "../../ledger/snapshots.ts";
import type { ServiceContext } from "../service-part.ts";
import type { PageInput, PageReports } from "./page.ts";

/** The parts of a request that its route checks. */
export function toRouteSchema({ params, query }: PageInput): object {
  return { ...(params === undefined ? {} : { params }), ...(query === undefined ? {} : { querystring: query }) };
}

/** Everything that a page shows is of one state of the ledger. @param read when its turn comes (page-readings.ts) */
export function readPage<Given, Report>(
  page: { read(reports: PageReports, asked: Given): Promise<Report> },
  context: ServiceContext,
  asked: Given,
  read: Snapshots["read"],
): Promise<Report> {
  const { agent: _agent, resources, ...service } = context;
  return read((ledger) =>
    page.read({ ...createReports(resources, ledger), now: resources.clock.now(), service }, asked),
  );
}
