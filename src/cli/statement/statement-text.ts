import type { Statement } from "../../statement/statement.ts";
import type { Layout } from "../output/layout.ts";
import { section } from "../output/report-sections.ts";
import { formatLine, formatTable } from "../output/text-table.ts";
import { describeStatement, toSections } from "./statement-sections.ts";

/** A statement for a terminal. */
export function formatStatementText(statement: Statement, layout: Layout): string {
  const sections = toSections(statement).flatMap(({ title, columns, rows }) =>
    section(
      title,
      formatTable(
        columns,
        rows.map((cells) => ({ cells })),
        layout,
      ),
      layout,
    ),
  );
  return [formatLine(describeStatement(statement), layout), ...sections].join("");
}
