/** `export --since last` against a model: documents settle, pages are bought anew, and exports are killed at any call of the ledger. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { takeRangeFilter } from "../../../src/agent/documents/document-filter-checks.ts";
import { rangeAgent } from "../../../src/agent/documents/range-agent.ts";
import { exportNew, type NewDocuments, type WriteRange } from "../../../src/cli/export/export-new.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { createReaders, type Kill, Killed } from "../../doubles/cursor-world.ts";
import { buyPages } from "../../doubles/ledger-shop.ts";
import { openTempLedger } from "../../doubles/temp-ledger.ts";

const EXPORT: NewDocuments = {
  cursor: "lake",
  target: "lake",
  deriveMarkdown: false,
  trustClock: false,
  keepsRanges: true,
};

interface World {
  readonly ledger: Ledger;
  /** Files by name, each complete: what it has of purchases. */
  readonly files: Map<string, readonly number[]>;
  export(kill: Kill | null): Promise<void>;
}

async function open(): Promise<World> {
  const { ledger } = await openTempLedger();
  const files = new Map<string, readonly number[]>();
  const readers = createReaders(ledger);
  const agentOf = (kill: Kill | null) => {
    const resources = readers.start(kill);
    return {
      documentRange: async (filter: unknown) => rangeAgent(resources, takeRangeFilter("documentRange", filter)),
    };
  };
  const write: WriteRange = async (documents, { after, through }) => {
    const purchases: number[] = [];
    for await (const { purchaseId } of documents) {
      purchases.push(purchaseId);
    }
    const name = `${after}-${through}`;
    // A repeated attempt replaces a file by an equal one.
    expect(files.get(name) ?? purchases).toEqual(purchases);
    await expect(exportNew(agentOf(null), EXPORT, write)).rejects.toMatchObject({ code: "CURSOR_IN_USE" });
    files.set(name, purchases);
    const outcome = { documents: purchases.length, files: 1, bytes: 0, skipped: [], skippedCount: 0 };
    return { outcome, hasArrived: true };
  };
  return {
    ledger,
    files,
    export: async (kill) => {
      await exportNew(agentOf(kill), EXPORT, write).catch((error: unknown) => {
        if (!(error instanceof Killed)) {
          throw error;
        }
      });
    },
  };
}

const PAGES = ["/a", "/b", "/c", "/d", "/e"] as const;
const BUY = fc.record({
  kind: fc.constant("buy" as const),
  paths: fc.uniqueArray(fc.constantFrom(...PAGES), { minLength: 1 }),
});
const EXPORT_STEP = fc.record({
  kind: fc.constant("export" as const),
  kill: fc.option(fc.record({ call: fc.integer({ min: 1, max: 9 }), moment: fc.constantFrom("before", "after") })),
});

test("each new document is in exactly one file, whatever is killed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(BUY, EXPORT_STEP), { maxLength: 10 }), async (steps) => {
      const world = await open();
      const settled: { path: string; purchaseId: number }[] = [];
      for (const [index, step] of steps.entries()) {
        if (step.kind === "buy") {
          for (const purchaseId of await buyPages(world.ledger, { runId: `run_${index}`, paths: step.paths })) {
            const url = (await world.ledger.readDocument(purchaseId))?.url ?? "";
            settled.push({ path: new URL(url).pathname, purchaseId });
          }
        } else {
          await world.export(step.kill as Kill | null);
        }
      }
      await world.export(null);
      const exported = [...world.files.values()].flat();
      expect(new Set(exported).size).toBe(exported.length);
      // The newest version of each page has come, in order, and what was left out had a newer version before its range ended.
      for (const path of PAGES) {
        const versions = settled.filter((one) => one.path === path).map(({ purchaseId }) => purchaseId);
        const given = exported.filter((purchaseId) => versions.includes(purchaseId));
        expect(given.at(-1)).toBe(versions.at(-1));
        expect(given).toEqual([...given].sort((one, other) => one - other));
      }
      // The files follow each other without a gap.
      const ends = [...world.files.keys()].map((name) => name.split("-").map(Number));
      expect(ends.map(([after]) => after)).toEqual([0, ...ends.map(([, through]) => through)].slice(0, ends.length));
    }),
    { numRuns: 25 },
  );
});
