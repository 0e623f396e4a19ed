import { gfm } from "@joplin/turndown-plugin-gfm";
import TurndownService from "turndown";

let service: TurndownService | null = null;

/** Converts HTML to Markdown with tables. */
export function htmlToMarkdown(html: string): string {
  if (html === "") {
    return "";
  }
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
  created.use(gfm);
  created.remove(["script", "style", "noscript"]);
  return created;
}
