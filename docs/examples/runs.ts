/** Lists the newest runs, and what the newest one bought: what each site cost, and which pages may have been charged. */
import { createAgent, formatMoney, loadConfig } from "licet";

const agent = createAgent(await loadConfig());

try {
  const { runs, total } = await agent.runs({ limit: 5 });
  for (const { runId, state, died, pagesBought } of runs) {
    console.log(`${runId}: ${died === null ? state : "died"}, ${pagesBought} pages`);
  }
  console.log(`${runs.length} of ${total} runs`);

  const [newest] = runs;
  if (newest !== undefined) {
    const { sites, purchases } = await agent.runDetails(newest.runId, { state: "in_doubt" });
    for (const { host, spend } of sites) {
      for (const [currency, { settledMicros }] of Object.entries(spend)) {
        console.log(`${host} cost ${formatMoney({ micros: settledMicros, currency })}`);
      }
    }
    console.log(`${purchases.length} pages in doubt`);
  }
} finally {
  await agent.close();
}
