/** The gateway without ledger and policy: for a look at what is for sale. Nothing here is chargeable. */
import { formatMoney, GatewayClient, isLicetError } from "licet";

const gateway = new GatewayClient({
  baseUrl: process.env.LICET_GATEWAY_URL ?? "http://127.0.0.1:8402",
  apiKey: process.env.LICET_API_KEY ?? "sandbox-key",
  agentId: "licet-demo",
});

try {
  const { entries } = await gateway.listCatalog({ host: "demo.example", pageSize: 5 });
  const urls = entries.map(({ pageUrl }) => pageUrl);
  const listings = await gateway.quoteBatch(urls);
  for (const url of urls) {
    const rates = listings.get(url)?.rates ?? [];
    console.log(url);
    for (const { license, price } of rates) {
      console.log(`  ${formatMoney(price)}  ${license.licenseType}`);
    }
  }

  // Operating errors have a code, and say whether trying again may help.
  await gateway.quotePage("https://demo.example/no-such-page");
} catch (error) {
  if (!isLicetError(error)) {
    throw error;
  }
  console.log(`${error.code}: ${error.hint ?? error.message} (retry: ${error.retry})`);
} finally {
  await gateway.close();
}
