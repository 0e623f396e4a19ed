/** The statement of a month as CSV: the bytes of `licet statement --format csv`. */
import type { FastifyInstance } from "fastify";
import type { z } from "zod";
import { formatStatementCsv } from "../../statement/statement-csv.ts";
import type { ServiceContext } from "../service-part.ts";
import { STATEMENT_INPUT } from "./pages/statement.ts";

type Params = z.output<(typeof STATEMENT_INPUT)["params"]>;
type Query = z.output<(typeof STATEMENT_INPUT)["query"]>;

export function addStatementFile(app: FastifyInstance, { agent }: ServiceContext): void {
  app.route<{ Params: Params; Querystring: Query }>({
    method: "GET",
    url: "/money/:month/statement.csv",
    schema: { params: STATEMENT_INPUT.params, querystring: STATEMENT_INPUT.query },
    handler: async ({ params: { month }, query }, reply) => {
      const statement = await agent.statement({ month, ...query });
      return reply
        .headers({
          "content-type": "text/csv; charset=utf-8; header=present",
          "content-disposition": `attachment; filename="statement-${month}.csv"`,
        })
        .send(formatStatementCsv(statement));
    },
  });
}
