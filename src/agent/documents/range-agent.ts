/** `agent.documentRange`: the new documents of a cursor, fixed before they are read. */
import { LicetError } from "../../errors.ts";
import type { Resources } from "../compose.ts";
import { readRange } from "./cursor-agent.ts";
import type { DocumentRange } from "./document-filter.ts";
import type { RangeCall } from "./document-filter-checks.ts";
import { checkDocumentSite } from "./documents-agent.ts";
import { HeldCursor } from "./held-cursor.ts";

/** @returns null when nothing is new */
export async function rangeAgent(resources: Resources, call: RangeCall): Promise<DocumentRange | null> {
  const ledger = await resources.ledger("existing");
  await checkDocumentSite(resources, ledger, call.host);
  const cursor = await HeldCursor.take(resources, ledger, call);
  try {
    const isRepeated = cursor.hasPending;
    const range = await cursor.fixRange(call.target);
    if (range === null) {
      await cursor.release();
      return null;
    }
    if (range.target !== call.target) {
      throw otherTarget(call, range.target);
    }
    return {
      after: range.afterSeq,
      through: range.throughSeq,
      isRepeated,
      documents: async function* documents() {
        for await (const { document } of readRange(resources, { ledger, cursor, call, range })) {
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

function otherTarget({ cursor, target }: RangeCall, known: string): LicetError {
  return new LicetError("CURSOR_MISMATCH", `the cursor ${cursor} has begun to write to ${known}, and did not end`, {
    hint: "Repeat that first: documents may be there already, and would come twice. Then give the new place.",
    details: { cursor, known, given: target },
  });
}
