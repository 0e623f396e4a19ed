import { expect, it, onTestFinished } from "vitest";
import { startCliHere } from "../../doubles/cli-here.ts";
import { ONE_PRICE } from "../../doubles/cli-world.ts";
import { type CrawlWorld, createCrawlWorld } from "../../doubles/crawl-world.ts";
import { callService } from "../../doubles/service-world.ts";

const CANARY = "canary-5f2c9e81";

async function createWorld(config: Parameters<CrawlWorld["configure"]>[0] = {}): Promise<CrawlWorld> {
  const world = await createCrawlWorld({
    sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 2, bodyBytes: 500 }], rates: ONE_PRICE },
    config: { sites: [], serve: { port: 0 }, ...config },
  });
  onTestFinished(() => world.close());
  return world;
}

async function serve(world: CrawlWorld, isTerminal: boolean, ...args: string[]) {
  const cli = startCliHere(["serve", ...args], { cwd: world.directory, isTerminal });
  const said = await cli.whenSaid(/the service listens on (http:\/\/[\d.:]+)/);
  return { cli, url: said.slice(said.indexOf("http")) };
}

it("is sentences on a terminal, and one JSON document a line anywhere else", async () => {
  const world = await createWorld();
  const person = await serve(world, true);
  person.cli.interrupt("SIGTERM");
  const forPeople = await person.cli.end;
  expect(forPeople).toMatchObject({ code: 0, stdout: "" });
  expect(forPeople.stderr).toContain("licet: the service has stopped\n");
  const program = await serve(world, false);
  program.cli.interrupt("SIGTERM");
  const { code, stderr, stdout } = await program.cli.end;
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  const lines = stderr
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({ level: 30, url: program.url, msg: `the service listens on ${program.url}` });
  expect(lines.at(-1)).toMatchObject({ msg: "the service has stopped" });
});

it("has the error that keeps a service from starting, with its code, and exits with 1", async () => {
  const world = await createWorld();
  const first = await serve(world, true);
  const second = await startCliHere(["serve"], { cwd: world.directory }).end;
  expect(second).toMatchObject({ code: 1, stdout: "" });
  expect(JSON.parse(second.stderr)).toMatchObject({ level: 50, code: "SERVICE_ALIVE", hint: expect.any(String) });
  first.cli.interrupt("SIGINT");
  expect((await first.cli.end).code).toBe(0);
});

it("has the warnings of a run from before its beginning, with its id", async () => {
  const token = "a-token-of-this-test";
  const world = await createWorld({
    budgets: [{ scope: "all", per: "month", limit: "0.02 USD" }],
    sites: [{ host: "news.example", policy: "standard" }],
    serve: { port: 0, token },
  });
  await (await world.openAgent()).run();
  const { cli, url } = await serve(world, false);
  const headers = { authorization: `Bearer ${token}` };
  const { json } = await callService(url, "POST", "/api/v1/runs", { headers, body: {} });
  await cli.whenSaid(/run \S+ ended/);
  cli.interrupt("SIGTERM");
  const lines = (await cli.end).stderr
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const own = lines.filter(({ runId }) => runId === json.runId).map(({ msg }) => msg);
  expect(own[0]).toBe(`run ${json.runId} began (manual): news.example`);
  expect(own[1]).toContain("100 % of the budget");
});

it("contains no secret of the configuration, whatever fails", async () => {
  const world = await createWorld({
    gateway: { apiKey: `${CANARY}-key` },
    queue: { url: `redis://user:${CANARY}-redis@127.0.0.1:1` },
    serve: { port: 0, token: `${CANARY}-token` },
    webhooks: [{ id: "main", path: "/webhooks/main", url: "https://agent.example/x", secret: `${CANARY}-webhook` }],
    alerts: [{ on: ["run_failed"], webhook: "http://127.0.0.1:1/alerts", secret: `${CANARY}-alert` }],
  });
  const { cli, url } = await serve(world, false, "--debug");
  const right = { authorization: `Bearer ${CANARY}-token` };
  await callService(url, "GET", "/readyz");
  await callService(url, "GET", `/nothing?token=${CANARY}-token`, { headers: right });
  await callService(url, "GET", "/api/v1/status", { headers: { authorization: `Bearer ${CANARY}-wrong` } });
  await callService(url, "POST", "/webhooks/main", { body: { secret: `${CANARY}-webhook` } });
  await callService(url, "POST", "/api/v1/runs", { headers: right, body: `{"${CANARY}-key"` });
  cli.interrupt("SIGTERM");
  const { code, stderr } = await cli.end;
  expect(code).toBe(0);
  expect(stderr).toContain("the queue is not reachable");
  expect(stderr).not.toContain(CANARY);
});
