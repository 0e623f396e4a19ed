/** Lists what was stored since the last time, for a job that runs every night. */
import { readFile, writeFile } from "node:fs/promises";
import { createAgent, formatMoney, loadConfig, money } from "licet";

const STATE = "last-listed.txt";
/** A document is committed shortly after its instant, so the times overlap. A document may come twice: `purchaseId` shows it. */
const OVERLAP_MS = 5 * 60_000;

const agent = createAgent(await loadConfig());
try {
  const since = await readFile(STATE, "utf8").catch(() => "2026-01-01");
  const next = new Date(Date.now() - OVERLAP_MS).toISOString();

  let documents = 0;
  for await (const { title, priceMicros, currency } of agent.documents({ site: "demo.example", since })) {
    const price =
      priceMicros === null || currency === null ? "free" : formatMoney(money({ micros: priceMicros, currency }));
    console.log(`${price}  ${title}`);
    documents++;
  }
  console.log(`${documents} documents since ${since}`);
  await writeFile(STATE, next);
} finally {
  await agent.close();
}
