/**
 * The text of a document for the frame of its page: escaped, so that none of it is markup, in a document of its own that may load and run nothing. It is
 * another document than the page, because whatever it were, the page's session would not be its own.
 */
import type { FastifyInstance } from "fastify";
import type { z } from "zod";
import { readDocument } from "../../agent/documents/find-documents-agent.ts";
import type { ServiceContext } from "../service-part.ts";
import { html } from "./html/html.ts";
import type { PageReadings } from "./page-readings.ts";
import { DOCUMENT_PARAMS } from "./pages/document.ts";

/** More than a person reads: a browser need not draw megabytes. */
const MAX_CHARS = 200_000;
/** `sandbox`: also where somebody opens the address by itself. Only a page of this service may frame it. */
const POLICY = "default-src 'none'; sandbox; frame-ancestors 'self'";

export function addDocumentText(app: FastifyInstance, { resources }: ServiceContext, readings: PageReadings): void {
  app.route<{ Params: z.output<typeof DOCUMENT_PARAMS> }>({
    method: "GET",
    url: "/documents/:id/text",
    schema: { params: DOCUMENT_PARAMS },
    handler: async ({ params: { id }, tokenName, url }, reply) => {
      const { markdown, html: source } = await readings.read(tokenName, url, (ledger) =>
        readDocument({ ...resources, ledger: async () => ledger }, id),
      );
      const text = markdown ?? source ?? "";
      const shown = text.slice(0, MAX_CHARS);
      return reply
        .headers({
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": POLICY,
          "x-frame-options": "SAMEORIGIN",
        })
        .send(String(toDocument(shown, text.length)));
    },
  });
}

function toDocument(text: string, chars: number) {
  // Paragraphs, because a line of a preformatted text does not break without a style.
  const paragraphs = text.split(/\n{2,}/).map((paragraph) => html`<p>${breakLines(paragraph)}</p>`);
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Text of a document</title></head>
<body dir="auto">
${paragraphs}
${chars > text.length && html`<hr><p>The first ${text.length} of ${chars} characters.</p>`}
</body>
</html>`;
}

const breakLines = (paragraph: string) =>
  paragraph.split("\n").map((line, index) => html`${index > 0 && html`<br>`}${line}`);
