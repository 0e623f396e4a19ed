import { plainText } from "../../plain-text.ts";
import type { Statement } from "../../statement/statement.ts";
import { describeStatement, type StatementSection, toSections } from "./statement-sections.ts";

/** A statement as a Markdown document. */
export function formatStatementMarkdown(statement: Statement): string {
  const head = `# Statement of ${statement.month} by ${statement.by}\n\n${escapeText(describeStatement(statement))}\n`;
  return [head, ...toSections(statement).map(formatSection)].join("\n");
}

function formatSection({ title, columns, rows }: StatementSection): string {
  const lines = [
    columns.map(({ title: name }) => escapeText(name)),
    columns.map(({ align }) => (align === "right" ? "---:" : "---")),
    ...rows.map((cells) => cells.map(escapeText)),
  ];
  return `## ${escapeText(title)}\n\n${lines.map((cells) => `| ${cells.join(" | ")} |\n`).join("")}`;
}

/** Text of one line that Markdown shows as it stands: no markup, no HTML, no cell that ends early, no address that becomes a link. */
function escapeText(text: string): string {
  return plainText(text)
    .replaceAll(/[\\`*[\]<>|&~#]/g, "\\$&")
    .replaceAll(/(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, "\\_")
    .replaceAll(/:(?=\/\/)|@|(?<=\bwww)\./gi, "\\$&");
}
