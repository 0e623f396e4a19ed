/** Writes each page into an index when it is bought, and afterwards those that the index missed. */
import { appendFile, readFile } from "node:fs/promises";
import { createAgent, isLicetError, loadConfig, type StoredDocument } from "licet";

const INDEX = "index.jsonl";

async function addToIndex({ purchaseId, url, title }: StoredDocument): Promise<void> {
  await appendFile(INDEX, `${JSON.stringify({ purchaseId, url, title })}\n`);
}

async function readIndexed(): Promise<ReadonlySet<number>> {
  const lines = (await readFile(INDEX, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  return new Set(lines.map((line) => JSON.parse(line).purchaseId));
}

const agent = createAgent(await loadConfig());
try {
  const { runId, pages } = await agent.run({ maxPages: 5, onDocument: addToIndex, onDocumentConcurrency: 1 });
  console.log(`${pages.bought} pages bought`);

  // If the process died between a purchase and its line in the index, the document is stored all the same.
  const indexed = await readIndexed();
  let missed = 0;
  for await (const document of agent.documents({ run: runId })) {
    if (!indexed.has(document.purchaseId)) {
      await addToIndex(document);
      missed++;
    }
  }
  console.log(`${indexed.size} indexed, ${missed} missed and added`);
} catch (error) {
  // The run has ended and bought nothing more. The next start continues it.
  if (!isLicetError(error, "DOCUMENT_NOT_TAKEN")) {
    throw error;
  }
  console.error(`purchase ${error.details.purchaseId} is stored but not indexed: ${error.message}`);
  process.exitCode = 1;
} finally {
  await agent.close();
}
