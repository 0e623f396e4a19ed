/** Reads what is stored, with the right to use it, and records each use: it is reported by the next run, or by `report`. */
import { createAgent, loadConfig } from "licet";

const agent = createAgent(await loadConfig());

try {
  let used = 0;
  for await (const page of agent.documents({ site: "demo.example" })) {
    const mayQuote = page.license?.permissions?.includes("FULL_USE") ?? false;
    console.log(`${page.title} · ${page.license?.licenseType ?? "indexed only"} · ${mayQuote ? "whole" : "in part"}`);

    if (page.markdown?.includes("harbour")) {
      // A key makes recording the same use twice harmless.
      const { refused } = await agent.use([{ url: page.url, key: `answer-17:${page.url}` }]);
      used += refused.length === 0 ? 1 : 0;
    }
  }
  const { reported, pending } = await agent.report();
  console.log(`${used} pages used; ${reported} uses reported, ${pending} pending`);
} finally {
  await agent.close();
}
