/** `licet mcp` as a client starts it: a process of its own, over its standard input and output. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { cliConfig, createDirectory, type RunningCli, startCli, writeConfig } from "../doubles/cli-process.ts";
import { ONE_PRICE } from "../doubles/cli-world.ts";
import { compareAccounts } from "../doubles/compare-accounts.ts";
import { ProcessTransport } from "../doubles/process-transport.ts";

/** What a terminal acts on, and what a reader does not see: an escape, a bidi override, a zero-width space, tags. */
const HOSTILE = "\u001b[31mRed\u202egpj\u200b\u{e0041} title";
const HOSTILE_PAGE = "https://news.example/hostile";
const PAGES = ["a", "b", "c"].map((name) => `https://news.example/${name}`);

let sandbox: Sandbox;
let directory: Awaited<ReturnType<typeof createDirectory>>;
let running: RunningCli | null = null;

beforeEach(async () => {
  directory = await createDirectory();
  const pages = PAGES.map((url) => ({
    url,
    title: "A page",
    markdown: "# A page\n\nIts text.",
  }));
  const hostile = { url: HOSTILE_PAGE, title: HOSTILE, markdown: `# ${HOSTILE}\n\nIts text${HOSTILE}.` };
  sandbox = await startSandbox({
    sites: [{ kind: "pages", host: "news.example", pages: [hostile, ...pages] }],
    rates: ONE_PRICE,
  });
  await writeConfig(directory.path, cliConfig(sandbox.url));
});
afterEach(async () => {
  running?.child.kill("SIGKILL");
  await running?.result;
  await sandbox.close();
  await directory.remove();
});

async function connect(...args: string[]) {
  const process = startCli(["mcp", ...args], { cwd: directory.path, input: null });
  running = process;
  const client = new Client({ name: "test", version: "0" });
  await client.connect(new ProcessTransport(process.child));
  const call = async (name: string, given: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: given });
    return (content as { text: string }[]).map(({ text }) => text);
  };
  return { process, client, call };
}

const outcomeIn = ([facts = ""]: readonly string[]) => /"outcome": "(\w+)"/.exec(facts)?.[1];
const charges = () => sandbox.audit().charges.map(({ url }) => url);
/** Resolves when the gateway has charged so many pages. */
const whenCharged = (pages: number) => expect.poll(charges, { interval: 5 }).toHaveLength(pages);
const expectMatchingAccounts = () =>
  expect(compareAccounts(sandbox, `${directory.path}/data/licet.sqlite`)).toEqual([]);

test("with --buy it buys up to its cap, gives texts without what a reader cannot see, and ends with its input", async () => {
  const { process, client, call } = await connect("--buy", "--max-spend", "0.02 USD");
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["quote", "fetch", "explain", "spend"]);
  expect((await call("quote", { urls: [HOSTILE_PAGE] }))[0]).toContain('"wouldBuy": true');

  const [facts = "", text = "", metadata = ""] = await call("fetch", { urls: [HOSTILE_PAGE] });
  expect(outcomeIn([facts])).toBe("bought");
  expect(facts).not.toContain("Redgpj");
  expect(metadata).toContain('"title": "Redgpj title"');
  expect(text).toContain("Redgpj title");
  expect(`${facts}${text}${metadata}`).not.toMatch(/[^\n\P{Cc}]|\p{Cf}/u);
  expect(outcomeIn(await call("fetch", { urls: [HOSTILE_PAGE] }))).toBe("stored");
  expect(charges()).toEqual([HOSTILE_PAGE]);

  sandbox.setLatency(100);
  const last = call("fetch", { urls: PAGES });
  await whenCharged(2);
  await client.close();
  const [said, end] = [await last, await process.result];
  expect(outcomeIn(said)).toBe("bought");
  expect([end.code, end.signal, end.stderr]).toEqual([0, null, ""]);
  expect(charges()).toHaveLength(2);
  expectMatchingAccounts();
});

test("without --buy it buys nothing; with SIGTERM what has started is settled, and it ends", async () => {
  const reader = await connect();
  expect(outcomeIn(await reader.call("fetch", { urls: [HOSTILE_PAGE] }))).toBe("not_stored");
  await reader.client.close();
  expect(await reader.process.result).toMatchObject({ code: 0, stderr: "" });

  const buyer = await connect("--buy");
  sandbox.setLatency(100);
  const started = buyer.call("fetch", { urls: [HOSTILE_PAGE] });
  await whenCharged(1);
  buyer.process.child.kill("SIGTERM");
  expect(outcomeIn(await started)).toBe("bought");
  expect(await buyer.process.result).toMatchObject({ code: 0, signal: null });
  expectMatchingAccounts();
});

test("it obeys the configuration as it is at each call, and buys nothing while that is invalid", async () => {
  const { client, call } = await connect("--buy", "--max-spend", "0.02 USD");
  const [first = "", second = "", third = ""] = PAGES;
  expect(outcomeIn(await call("fetch", { urls: [first] }))).toBe("bought");

  const own = { policies: { standard: { rules: [{ deny: { urls: ["/b"] } }, { allow: {} }] } } };
  await writeConfig(directory.path, cliConfig(sandbox.url, own));
  expect(outcomeIn(await call("fetch", { urls: [second] }))).toBe("denied");
  expect((await call("quote", { urls: [second] }))[0]).toContain('"wouldBuy": false');

  await writeConfig(directory.path, { policies: {} });
  expect((await call("fetch", { urls: [third] }))[0]).toMatch(/^CONFIG_INVALID: /);
  expect(charges()).toEqual([first]);

  // The cap is that of the process, whatever the configuration is.
  await writeConfig(directory.path, cliConfig(sandbox.url));
  expect(outcomeIn(await call("fetch", { urls: [second] }))).toBe("bought");
  expect(outcomeIn(await call("fetch", { urls: [third] }))).toBe("denied");
  expect(charges()).toEqual([first, second]);
  await client.close();
});
