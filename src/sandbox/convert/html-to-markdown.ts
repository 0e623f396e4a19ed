import TurndownService from "turndown";
import { addTableRules } from "./table-rules.ts";

let service: TurndownService | undefined;

/** Converts HTML to Markdown with tables. */
export function htmlToMarkdown(html: string): string {
  if (html === "") return "";
  service ??= createService();
  return service.turndown(html).trim();
}

function createService(): TurndownService {
  const created = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
  });
  addTableRules(created);
  created.remove(["script", "style", "noscript"]);
  return created;
}
