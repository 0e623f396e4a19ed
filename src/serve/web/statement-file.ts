/** The statement of a month as CSV: the bytes of `licet statement --format csv`. */
import type { FastifyInstance } from "fastify";
import type { z } from "zod";
import { formatStatementCsv } from "../../statement/statement-csv.ts";
import type { ServiceContext } from "../service-part.ts";
import type { PageReports } from "./page.ts";
import type { PageReadings } from "./page-readings.ts";
import { STATEMENT_INPUT } from "./pages/statement.ts";
import { readPage } from "./read-page.ts";

type Params = z.output<(typeof STATEMENT_INPUT)["params"]>;
type Query = z.output<(typeof STATEMENT_INPUT)["query"]>;

export function addStatementFile(app: FastifyInstance, context: ServiceContext, readings: PageReadings): void {
  app.route<{ Params: Params; Querystring: Query }>({
    method: "GET",
    url: "/money/:month/statement.csv",
    schema: { params: STATEMENT_INPUT.params, querystring: STATEMENT_INPUT.query },
    handler: async ({ params: { month }, query, tokenName, url }, reply) => {
      const file = { read: (reports: PageReports) => reports.statement({ month, ...query }) };
      const statement = await readPage(file, context, null, (work) => readings.read(tokenName, url, work));
      return reply
        .headers({
          "content-type": "text/csv; charset=utf-8; header=present",
          "content-disposition": `attachment; filename="statement-${month}.csv"`,
        })
        .send(formatStatementCsv(statement));
    },
  });
}
