/** `agent.documents({ cursor })`: each new document until it is acknowledged. */
import { misused } from "../../check-options.ts";
import type { CursorRange, SettledDocument } from "../../ledger/document-ledger.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import { requireClock } from "../clock/ask-clock.ts";
import type { Resources } from "../compose.ts";
import { createShowRights } from "../rights/document-rights.ts";
import { createAcknowledgements } from "./acknowledgements.ts";
import type { CursorFilter, DeliveredDocument } from "./document-filter.ts";
import { checkDocumentSite, DOCUMENTS_AT_ONCE, withMarkdown } from "./documents-agent.ts";
import { HeldCursor } from "./held-cursor.ts";

/** Documents that were given and not acknowledged. A reader that never acknowledges is told so, instead of reading all for nothing. */
const MAX_UNACKNOWLEDGED = 10_000;

export async function* cursorAgent(
  resources: Resources,
  filter: CursorFilter,
): AsyncIterableIterator<DeliveredDocument> {
  const ledger = await resources.ledger("existing");
  await checkDocumentSite(resources, ledger, filter.site ?? null);
  const cursor = await HeldCursor.take(resources, ledger, filter);
  const acknowledgements = createAcknowledgements(cursor, {
    maxWaiting: MAX_UNACKNOWLEDGED,
    onTooMany: () =>
      misused(
        "documents",
        `${MAX_UNACKNOWLEDGED} documents of the cursor ${filter.cursor} wait for their acknowledgement`,
        "Call document.ack() when a document is stored.",
      ),
  });
  try {
    // What is settled during the loop is for the next one: a loop ends also while a run buys.
    const range = { afterSeq: cursor.seq, throughSeq: await ledger.readLastSettled() };
    for await (const { seq, document } of readRange(resources, { ledger, cursor, filter, range })) {
      acknowledgements.give(seq);
      yield { ...document, ack: () => acknowledgements.acknowledge(seq) };
    }
    await acknowledgements.end(range.throughSeq);
  } finally {
    await cursor.release();
  }
}

const REFUSAL = "the cursor does not pass documents whose rights ended by this clock";

/** Markdown that was ordered is derived now where it is missing: a cursor gives a document once. */
export async function* readRange(
  resources: Resources,
  {
    ledger,
    cursor,
    filter,
    range,
  }: {
    readonly ledger: Ledger;
    readonly cursor: Pick<HeldCursor, "keep">;
    readonly filter: CursorFilter;
    readonly range: Pick<CursorRange, "afterSeq" | "throughSeq">;
  },
): AsyncGenerator<{ readonly seq: number; readonly document: StoredDocument }> {
  const { site: host = null, run: runId = null, deriveMarkdown = false, trustClock: trusts = false } = filter;
  const { throughSeq } = range;
  const showRights = createShowRights(resources);
  /** The latest instant of a clock that was judged: what had ended by it is passed. */
  let judgedAt = Number.NEGATIVE_INFINITY;
  for (let { afterSeq } = range; ; ) {
    await cursor.keep();
    const settled = await ledger.readSettled({ afterSeq, throughSeq, host, runId, limit: DOCUMENTS_AT_ONCE });
    for (const one of settled) {
      const { seq, isMarkdownPending, document: stored } = split(one);
      afterSeq = seq;
      let document = showRights(stored);
      if (document === null && showRights(stored, judgedAt) !== null) {
        // A cursor never comes back to a document that it has passed.
        const guarded = { refusal: REFUSAL, command: "licet export", trusts };
        judgedAt = await requireClock(resources, ledger, guarded);
        document = showRights(stored, judgedAt);
      }
      if (document === null) {
        continue;
      }
      yield { seq, document: deriveMarkdown || isMarkdownPending ? await withMarkdown(resources, document) : document };
    }
    if (settled.length === 0) {
      return;
    }
  }
}

function split({ seq, isMarkdownPending, ...document }: SettledDocument) {
  return { seq, isMarkdownPending, document };
}
