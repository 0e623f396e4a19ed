/** Buys the pages that a program names. */
import { createAgent, loadConfig } from "licet";

const agent = createAgent(await loadConfig());

/** As from a database: licet takes the next pages when there is room for them. */
async function* pagesToBuy() {
  yield "https://demo.example/news/harbour-bridge-a-visit-on-site";
  yield { url: "https://demo.example/guides/no-such-page", maxPrice: "0.02 USD", key: "doc-17" };
}

try {
  const { state, pages, list } = await agent.run({ list: pagesToBuy(), maxSpend: "5 USD" });
  console.log(`${state}: ${pages.bought} of ${list?.pages ?? 0} pages`);
} finally {
  await agent.close();
}
