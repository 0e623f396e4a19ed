/** Buys one page with the client alone, and reports its use. Without a ledger, the program itself has to remember what it bought. */
import { formatMoney, GatewayClient, isOffer, money } from "licet";

const MAX_PRICE = money("0.05 USD");

const gateway = new GatewayClient({
  baseUrl: process.env.LICET_GATEWAY_URL ?? "http://127.0.0.1:8402",
  apiKey: process.env.LICET_API_KEY ?? "sandbox-key",
  agentId: "licet-demo",
});

try {
  const catalog = await gateway.listCatalog({ host: "demo.example", pageSize: 20 });
  const listings = await gateway.quoteBatch(catalog.entries.map(({ pageUrl }) => pageUrl));

  for (const [url, { rates }] of listings) {
    const [rate] = rates
      .filter((one) => isOffer(one, Date.now()) && one.price.currency === MAX_PRICE.currency)
      .filter(({ price }) => price.micros > 0 && price.micros <= MAX_PRICE.micros)
      .sort((a, b) => a.price.micros - b.price.micros);
    if (rate === undefined) {
      continue;
    }
    // What the rates say goes into the token as it is: the price is the token's cap.
    const { licenseType, cuid } = rate.license;
    const { token } = await gateway.issueContentToken({ url, maxPrice: rate.price, licenseType, licenseCuid: cuid });

    const answer = await gateway.fetchContent({ url, token });
    if (answer.kind !== "content") {
      // After `unanswered` the page may have been charged: only the same token may be sent again.
      console.error(`${url}: ${answer.kind}`);
      process.exitCode = 1;
      break;
    }
    const charged = answer.content.rate?.price ?? rate.price;
    console.log(
      `${answer.content.metadata.title}: ${answer.content.body.length} characters for ${formatMoney(charged)}`,
    );

    const report = { idempotencyId: crypto.randomUUID(), usage: [{ url, licenseType, licenseCuid: cuid }] };
    const reported = await gateway.reportUsage(report);
    console.log(`reported: ${reported.kind}`);
    break;
  }
} finally {
  await gateway.close();
}
