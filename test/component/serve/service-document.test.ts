/** The examples of docs/service.md about HTTP, as a reader would type them: in one shell, one after the other. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ONE_PRICE } from "../../doubles/cli-world.ts";
import { createServiceWorld, type ServiceWorld } from "../../doubles/service-world.ts";
import { TOKEN } from "./api/api-client.ts";

const DOCUMENT = readFileSync(new URL("../../../docs/service.md", import.meta.url), "utf8");
const PLACE = "http://127.0.0.1:8403";

let world: ServiceWorld;

beforeAll(async () => {
  world = await createServiceWorld({
    sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 3, bodyBytes: 200 }], rates: ONE_PRICE },
    config: {
      serve: { port: 0, token: TOKEN },
      budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
      sites: [{ host: "news.example", policy: "standard" }],
    },
  });
});

afterAll(() => world.close());

it("the examples of the HTTP interface do what the document says", async () => {
  const section = /^## HTTP interface\n[\s\S]*?(?=^## )/m.exec(DOCUMENT)?.[0] ?? "";
  const blocks = [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);
  const script = ["set -e", ...blocks].join("\necho '=== '\n").replaceAll(PLACE, world.service.url);
  const { stdout } = await promisify(execFile)("sh", ["-c", script], {
    env: { PATH: process.env.PATH, LICET_SERVE_TOKEN: TOKEN },
  });
  const [, started = "", followed = "", read = "", looked = "", last = ""] = stdout.split("=== \n");
  expect(started).toBe("");
  expect(followed).toMatch(
    /^: events of one run\n\nid: \w+\.1\nevent: [\s\S]*event: page\.bought\n[\s\S]*id: end\nevent: end\ndata: \{"report":/,
  );
  expect(read).toMatch(/"purchasesTotal":3[\s\S]*"nextCursor":"r\d+"/);
  expect(looked).toMatch(/"budgets":\[\{[\s\S]*"conclusion":\{/);
  expect(last).toMatch(/^\{"batches":[\s\S]*RUN_OVER[\s\S]*a run that is complete cannot be cancelled\n$/);
});
