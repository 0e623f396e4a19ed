/** `agent.documentRange`: the new documents of a cursor, fixed before they are read. */
import { LicetError } from "../../errors.ts";
import type { Resources } from "../compose.ts";
import { readRange } from "./cursor-agent.ts";
import type { DocumentRange, RangeFilter } from "./document-filter.ts";
import { checkDocumentSite } from "./documents-agent.ts";
import { HeldCursor } from "./held-cursor.ts";

/** @returns null when nothing is new */
export async function rangeAgent(resources: Resources, filter: RangeFilter): Promise<DocumentRange | null> {
  const ledger = await resources.ledger("existing");
  await checkDocumentSite(resources, ledger, filter.site ?? null);
  const cursor = await HeldCursor.take(resources, ledger, filter);
  try {
    const isRepeated = cursor.hasPending;
    const range = await cursor.fixRange(filter.target);
    if (range === null) {
      await cursor.release();
      return null;
    }
    if (range.target !== filter.target) {
      throw otherTarget(filter, range.target);
    }
    return {
      after: range.afterSeq,
      through: range.throughSeq,
      isRepeated,
      documents: async function* documents() {
        for await (const { document } of readRange(resources, { ledger, cursor, filter, range })) {
          yield document;
        }
      },
      done: () => cursor.advance(range.throughSeq),
      close: () => cursor.release(),
    };
  } catch (error) {
    await cursor.release();
    throw error;
  }
}

function otherTarget({ cursor, target }: RangeFilter, known: string): LicetError {
  return new LicetError("CURSOR_MISMATCH", `the cursor ${cursor} has begun to write to ${known}, and did not end`, {
    hint: "Repeat that first: documents may be there already, and would come twice. Then give the new place.",
    details: { cursor, known, given: target },
  });
}
