/** `agent.documents({ cursor })`: each new document until it is acknowledged. */
import { beforeEach, expect, test } from "vitest";
import { cursorAgent } from "../../../../src/agent/documents/cursor-agent.ts";
import type { DeliveredDocument } from "../../../../src/agent/documents/document-filter.ts";
import { takeCursorFilter } from "../../../../src/agent/documents/document-filter-checks.ts";
import type { Ledger } from "../../../../src/ledger/ledger.ts";
import { createReaders, type ReaderWorld } from "../../../doubles/cursor-world.ts";
import { buyPages } from "../../../doubles/ledger-shop.ts";
import { openTempLedger } from "../../../doubles/temp-ledger.ts";

let ledger: Ledger;
let readers: ReaderWorld;
beforeEach(async () => {
  ({ ledger } = await openTempLedger());
  readers = createReaders(ledger);
  await buyPages(ledger, { runId: "run_1", paths: ["/a", "/b", "/c", "/d"] });
});

const open = () => cursorAgent(readers.start(), takeCursorFilter("documents", { cursor: "index" }));
const nameOf = ({ url }: { readonly url: string }) => new URL(url).pathname.slice(1);

/** Reads all without an acknowledgement. */
async function peek(): Promise<string> {
  let names = "";
  for await (const document of open()) {
    names += nameOf(document);
  }
  return names;
}

test("gives a document again until it is acknowledged, and then never again", async () => {
  expect(await peek()).toBe("abcd");
  for await (const document of open()) {
    await document.ack();
    if (nameOf(document) === "b") {
      break;
    }
  }
  expect(await peek()).toBe("cd");
  for await (const document of open()) {
    await document.ack();
    await document.ack();
  }
  expect(await peek()).toBe("");
  await buyPages(ledger, { runId: "run_2", paths: ["/e", "/a"] });
  expect(await peek()).toBe("ae");
});

test("stands before the first document that is not acknowledged, in whatever order the calls come", async () => {
  const given: DeliveredDocument[] = [];
  for await (const document of open()) {
    given.push(document);
  }
  await Promise.all([given[3]?.ack(), given[1]?.ack()]);
  expect(await peek()).toBe("abcd");
  await given[0]?.ack();
  expect(await peek()).toBe("cd");
  await given[2]?.ack();
  expect(await peek()).toBe("");
});

test("a reader that throws keeps what it has acknowledged, and leaves the cursor to the next one", async () => {
  const failing = async () => {
    for await (const document of open()) {
      if (nameOf(document) === "c") {
        throw new Error("the index is down");
      }
      await document.ack();
    }
  };
  await expect(failing()).rejects.toThrow("the index is down");
  expect(await peek()).toBe("cd");
});

test("has one reader at a time: another one is refused, and a late acknowledgement as well", async () => {
  const first = open();
  const { value: document } = (await first.next()) as { value: DeliveredDocument };
  await expect(open().next()).rejects.toMatchObject({ code: "CURSOR_IN_USE", details: { cursor: "index" } });
  await first.return?.();
  const second = open();
  await second.next();
  await expect(document.ack()).rejects.toMatchObject({ code: "CURSOR_IN_USE" });
  await second.return?.();
  await document.ack();
  expect(await peek()).toBe("bcd");
});

test("a batch of acknowledgements costs few writes", async () => {
  let writes = 0;
  const { advanceCursor } = ledger;
  ledger.advanceCursor = (request) => {
    writes++;
    return advanceCursor(request);
  };
  const batch: DeliveredDocument[] = [];
  for await (const document of open()) {
    batch.push(document);
  }
  await Promise.all(batch.map((document) => document.ack()));
  expect(writes).toBeLessThanOrEqual(2);
  expect(await peek()).toBe("");
});
