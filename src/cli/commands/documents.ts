import type { Command } from "commander";
import { INPUTS } from "../../agent/calls/inputs.ts";
import type { DocumentSearchOptions } from "../../agent/documents/found-documents.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { examples, parseNumber, parseText, parseWholeUpTo } from "../input/parse-arguments.ts";
import { parseHost } from "../output/host-name.ts";
import type { RunCommand } from "../program.ts";
import { formatDocument, formatDocuments } from "../reports/document-table.ts";
import type { Session } from "../session.ts";

export function addDocumentsCommand(program: Command, run: RunCommand): void {
  const text = (name: "url" | "title" | "license" | "hash" | "cursor") => parseText(INPUTS.findDocuments[name]);
  program
    .command("documents")
    .argument("[id]", "one document, by its purchase: its evidence", parseWholeUpTo(Number.MAX_SAFE_INTEGER))
    .description("looks for stored documents by address, title, site, licence or hash; or the evidence of one")
    .option("--url <url>", "the beginning of the address", text("url"))
    .option("--title <part>", "a part of the title", text("title"))
    .option("--site <host>", "only this site", parseHost)
    .option("--license <license>", "only this licence: its type or its cuid", text("license"))
    .option("--hash <hash>", "the hash of the whole document", text("hash"))
    .option("--limit <count>", "at most so many (default: 50)", parseNumber(INPUTS.findDocuments.limit))
    .option("--cursor <cursor>", "look further behind an earlier page: its nextCursor", text("cursor"))
    .addHelpText(
      "after",
      examples([
        ["licet documents", "the newest ones"],
        ['licet documents --site news.example --title "harbour"', ""],
        ["licet documents 42 --json", "the evidence of one"],
      ]),
    )
    .action((id: number | undefined, flags: DocumentSearchOptions) =>
      run((session) => showDocuments(session, id, flags)),
    );
}

function showDocuments(session: Session, id: number | undefined, search: DocumentSearchOptions): Promise<ExitCode> {
  return session.withLedger(async (agent) => {
    if (id === undefined) {
      const report = await agent.findDocuments(search);
      await session.print(report, (layout) => formatDocuments(report, layout));
    } else {
      const details = await agent.documentDetails(id);
      await session.print(details, (layout) => formatDocument(details, layout));
    }
    return EXIT.done;
  });
}
