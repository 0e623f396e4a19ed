/** The pages that a question needs, now: from the ledger where they are held, else bought for at most so much. */
import { createAgent, formatMoney, loadConfig } from "licet";

const agent = createAgent(await loadConfig());

/** Texts to answer from, each with the licence that allows it. */
async function retrieve(urls: readonly string[]) {
  const { results } = await agent.fetch(urls, { maxPrice: "0.02 USD", maxSpend: "0.10 USD", deriveMarkdown: true });
  for (const { url, outcome, priceMicros, currency, detail } of results) {
    const price =
      priceMicros === null || currency === null ? "" : ` at ${formatMoney({ micros: priceMicros, currency })}`;
    console.log(`${url}: ${outcome}${price}${detail === null ? "" : `, ${detail}`}`);
  }
  return results.flatMap(({ document }) =>
    document?.markdown == null ? [] : [{ text: document.markdown, license: document.license?.licenseType }],
  );
}

try {
  const urls = ["https://demo.example/news/harbour-bridge-a-visit-on-site", "https://elsewhere.example/article"];
  const first = await retrieve(urls);
  const second = await retrieve(urls);
  console.log(`${first.length} text for the first question, ${second.length} for the second`);
} finally {
  await agent.close();
}
