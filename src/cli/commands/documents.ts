import { INPUTS } from "../../agent/calls/inputs.ts";
import type { DocumentSearchOptions } from "../../agent/documents/find-documents-agent.ts";
import type { CliCommand } from "../cli-command.ts";
import { parseText, parseWholeUpTo } from "../input/parse-arguments.ts";
import { parseHost } from "../output/host-name.ts";
import type { RunCommand } from "../program.ts";
import { formatDocument, formatDocuments } from "../reports/document-table.ts";

export function addDocumentsCommand(program: CliCommand, run: RunCommand): void {
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
    .limit("at most so many (default: 50)", INPUTS.findDocuments.limit)
    .option("--cursor <cursor>", "look further behind an earlier page: its nextCursor", text("cursor"))
    .examples([
      ["licet documents", "the newest ones"],
      ['licet documents --site news.example --title "harbour"', ""],
      ["licet documents 42 --json", "the evidence of one"],
    ])
    .action((id: number | undefined, flags: DocumentSearchOptions) =>
      run((session) =>
        id === undefined
          ? session.answerFromLedger((agent) => agent.findDocuments(flags), formatDocuments)
          : session.answerFromLedger((agent) => agent.documentDetails(id), formatDocument),
      ),
    );
}
