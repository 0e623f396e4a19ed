import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { renderAgentReference } from "../../../../generate/agent-reference.ts";
import { renderOpenApi } from "../../../../generate/openapi.ts";
import { renderServiceReference } from "../../../../generate/service-reference.ts";
import { ONE_PRICE } from "../../../doubles/cli-world.ts";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";
import { TOKEN } from "./api-client.ts";

const run = promisify(execFile);
const MODULES = resolve("node_modules");

let world: ServiceWorld;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "licet-client-"));
  world = await createServiceWorld({
    sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 5, bodyBytes: 200 }], rates: ONE_PRICE },
    config: {
      serve: { port: 0, token: TOKEN },
      budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
      sites: [{ host: "news.example", policy: "standard" }],
    },
  });
});

afterAll(async () => {
  await world.close();
  await rm(directory, { recursive: true, force: true });
});

const readDocument = async () => (await world.call("GET", "/api/v1/openapi.json")).json;

it("docs/openapi.json says what the operations take and the types of their answers are (npm run schema:generate)", async () => {
  await expect(renderOpenApi()).toMatchFileSnapshot("../../../../docs/openapi.json");
});

it("docs/reference.md says what the calls take and answer (npm run schema:generate)", async () => {
  await expect(renderAgentReference()).toMatchFileSnapshot("../../../../docs/reference.md");
});

it("docs/service-reference.md has the addresses and the metrics (npm run schema:generate)", async () => {
  const reference = renderServiceReference(await readFile("docs/openapi.json", "utf8"));
  await expect(reference).toMatchFileSnapshot("../../../../docs/service-reference.md");
});

it("describes each address, each with an id, a summary, and what it answers to what it refuses", async () => {
  const { paths } = await readDocument();
  const operations = Object.values<Record<string, Record<string, unknown>>>(paths).flatMap((path) =>
    Object.values(path),
  );
  expect(operations.length).toBeGreaterThan(10);
  for (const { operationId, summary, responses } of operations) {
    expect({ operationId, summary, responses }).toEqual({
      operationId: expect.stringMatching(/^[a-z][a-zA-Z]+$/),
      summary: expect.stringMatching(/^[A-Z]/),
      responses: expect.objectContaining({ default: expect.anything() }),
    });
  }
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
});

it("declares each property that it requires, and says where an instant is a text", async () => {
  const document = await readDocument();
  const undeclared: string[] = [];
  (function look(value: unknown, path: string): void {
    if (typeof value === "object" && value !== null) {
      const { type, required, properties = {} } = value as { type?: string; required?: string[]; properties?: object };
      for (const name of type === "object" && Array.isArray(required) ? required : []) {
        if (!(name in properties)) {
          undeclared.push(`${path}.${name}`);
        }
      }
      for (const [name, inner] of Object.entries(value)) {
        look(inner, `${path}.${name}`);
      }
    }
  })(document, "");
  expect(undeclared).toEqual([]);
  const { RunDetails, Statement, PlanOutcome } = document.components.schemas;
  expect(RunDetails.properties.sites.items.properties.purchases.properties.in_doubt).toEqual({ type: "integer" });
  for (const instant of [Statement.properties.from, Statement.properties.until, PlanOutcome.properties.expiresAt]) {
    expect(instant).toMatchObject({ type: "string", format: "date-time" });
  }
  const content = document.paths["/api/v1/documents"].get.parameters.find(
    ({ name }: { name: string }) => name === "content",
  );
  expect(content.schema).toEqual({ type: "boolean", default: false });
});

/** What a program of a user would be. The compiler checks it against the generated client. */
const SESSION = `
import { ok } from "@oazapfts/runtime";
import * as licet from "./client.ts";

export async function session(baseUrl: string, token: string) {
  licet.defaults.baseUrl = baseUrl;
  licet.defaults.headers = { authorization: \`Bearer \${token}\` };
  const begun = await ok(licet.startRun({ hosts: ["news.example"], maxSpend: "1 USD" }));
  await ok(licet.followRun(begun.runId));
  const { run, purchases } = await ok(licet.getRun(begun.runId, { limit: 3, state: "settled" }));
  const micros: number = run.spend.USD?.settledMicros ?? 0;
  const page = await ok(licet.listDocuments({ limit: 2, run: begun.runId, content: true }));
  const next = await ok(licet.listDocuments({ limit: 100, run: begun.runId, cursor: page.nextCursor ?? "" }));
  const [first] = page.documents;
  const whole = first === undefined ? null : await ok(licet.getDocument(first.purchaseId));
  const explained = await ok(licet.explainPage(first?.url ?? ""));
  const status = await ok(licet.getStatus());
  const { openItems } = await ok(licet.listOpenItems());
  const flushed = await ok(licet.reportNow());
  const refused = await licet.closeOpenItem(7);
  return {
    state: run.state, purchases: purchases.length, micros, documents: page.documents.length + next.documents.length,
    isWhole: whole?.html === first?.html, willBeBought: explained.conclusion.willBeBought, left: status.budgets[0]?.leftMicros,
    openItems: openItems.length, pending: flushed.pending, refused: refused.status,
  };
}
// @ts-expect-error the client knows which options a run has
export const wrong = () => licet.startRun({ maxPage: 1 });
// @ts-expect-error and which fields an answer has
export const missing = async () => (await ok(licet.getStatus())).pagesHeld;
`;

it("a client that is generated from it compiles, and works with a service", async () => {
  await writeFile(join(directory, "openapi.json"), JSON.stringify(await readDocument()));
  await writeFile(join(directory, "session.ts"), SESSION);
  await symlink(MODULES, join(directory, "node_modules"));
  const options = { cwd: directory };
  await run(process.execPath, [join(MODULES, "oazapfts/dist/cli.js"), "openapi.json", "client.ts"], options);
  const compiler = [
    "--strict",
    "--noEmit",
    "--skipLibCheck",
    "--target",
    "es2023",
    "--module",
    "nodenext",
    "--lib",
    "es2023,dom",
  ];
  const source = ["--allowImportingTsExtensions", "--types", "", "session.ts"];
  await run(process.execPath, [join(MODULES, "typescript/bin/tsc"), ...compiler, ...source], options);

  const { session } = await import(pathToFileURL(join(directory, "session.ts")).href);
  expect(await session(world.service.url, TOKEN)).toEqual({
    state: "completed",
    purchases: 3,
    micros: 50_000,
    documents: 5,
    isWhole: true,
    willBeBought: false,
    left: 99_950_000,
    openItems: 0,
    pending: 0,
    refused: 404,
  });
});
