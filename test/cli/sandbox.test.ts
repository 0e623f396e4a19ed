import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cliHere, startCliHere } from "../doubles/cli-here.ts";
import { createDirectory } from "../doubles/cli-process.ts";

let directory: Awaited<ReturnType<typeof createDirectory>>;
beforeAll(async () => {
  directory = await createDirectory();
  await mkdir(join(directory.path, "articles"));
  await writeFile(join(directory.path, "articles", "one.md"), "# One\n\nText.");
});
afterAll(() => directory.remove());

describe("when it is ready", () => {
  test.each(["SIGINT", "SIGTERM"] as const)(
    "it prints one JSON document, serves, and exits with 0 on %s",
    async (signal) => {
      const sites = ["--site", "news.example=./articles", "--synthetic", "big.example=300:100"];
      const running = startCliHere(["sandbox", "--port", "0", ...sites, "--json"], { cwd: directory.path });
      const ready = JSON.parse(await running.waitFor(/^\{[\s\S]*\n\}\n/));
      expect(ready).toMatchObject({
        apiKey: "sandbox-key",
        agentId: "licet-demo",
        sites: ["news.example", "big.example"],
      });
      const catalog = await fetch(`${ready.url}/dev/v2/content/big.example/catalog/list?pageSize=1`, {
        headers: { ServiceKey: ready.apiKey },
      });
      expect(await catalog.json()).toMatchObject({ pages: [{ pageUrl: expect.stringContaining("big.example") }] });
      const audit = await fetch(ready.auditUrl);
      expect(await audit.json()).toMatchObject({ reports: 0 });
      running.interrupt(signal);
      expect(await running.end).toMatchObject({ code: 0, stderr: "" });
    },
  );

  test("it prints its address for people, and how to configure licet for it", async () => {
    const running = startCliHere(["sandbox", "--port", "0", "--service", "Acme", "--key", "k1"], {
      cwd: directory.path,
    });
    await running.waitFor(/Ctrl-C stops it/);
    running.interrupt("SIGINT");
    const { stdout } = await running.end;
    expect(stdout).toMatch(/demo\.example at http:\/\/127\.0\.0\.1:\d+/);
    expect(stdout).toContain("LICET_API_KEY=k1");
    expect(stdout).toContain("gateway.service: Acme");
  });

  test("it accepts only the names of its profile", async () => {
    await writeFile(join(directory.path, "profile.yaml"), 'service: Acme\nheaders: { key: "X-{Name}" }\n');
    const running = startCliHere(
      ["sandbox", "--port", "0", "--profile", "profile.yaml", "--token-life", "3s", "--json"],
      {
        cwd: directory.path,
      },
    );
    const ready = JSON.parse(await running.waitFor(/^\{[\s\S]*\n\}\n/));
    expect(ready).toMatchObject({ service: "Acme", profile: "profile.yaml" });
    const catalog = (headers: Record<string, string>) =>
      fetch(`${ready.url}/dev/v2/content/demo.example/catalog/list`, { headers });
    expect((await catalog({ "X-Acme": ready.apiKey })).status).toBe(200);
    expect((await catalog({ ServiceKey: ready.apiKey })).status).toBe(401);
    running.interrupt("SIGINT");
    await running.end;
  });
});

describe("with a subscriber", () => {
  test("it publishes by itself and delivers", async () => {
    const receiver = ["--webhook", "url=http://127.0.0.1:1/hook,secret=trial,id=main", "--publish-every", "1s"];
    const running = startCliHere(["sandbox", "--port", "0", "--fault", "webhook-lost=1", ...receiver, "--json"], {
      cwd: directory.path,
    });
    const { url } = JSON.parse(await running.waitFor(/^\{[\s\S]*\n\}\n/));
    expect(await (await fetch(`${url}/__sandbox/subscriptions`)).json()).toEqual({
      subscriptions: [{ id: "main", url: "http://127.0.0.1:1/hook" }],
    });
    running.interrupt("SIGINT");
    expect(await running.end).toMatchObject({ code: 0, stderr: "" });
  });

  test.each([
    [["--webhook", "http://127.0.0.1/hook"], /write url=…,secret=…/],
    [["--publish-every", "often"], /is not a duration/],
    [["--synthetic", "big.example=3", "--publish-every", "1s"], /no site to publish on/],
    [["--fault", "webhook-lots=1"], /webhook-lost/],
  ])("%j is refused with the reason", async (flags, reason) => {
    const { code, stderr } = await cliHere(["sandbox", "--port", "0", ...flags], { cwd: directory.path });
    expect(code).toBe(2);
    expect(stderr).toMatch(reason);
  });
});

describe("an address that cannot be used", () => {
  test("a port that is in use", async () => {
    const first = startCliHere(["sandbox", "--port", "0", "--json"], { cwd: directory.path });
    const { url } = JSON.parse(await first.waitFor(/^\{[\s\S]*\n\}\n/));
    const port = new URL(url).port;
    expect(await cliHere(["sandbox", "--port", port], { cwd: directory.path })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`port ${port} is in use`),
    });
    first.interrupt("SIGINT");
    await first.end;
  });

  test.each([
    [["--site", "news.example=./nowhere"], "the directory of news.example does not exist"],
    [["--site", "a b=./articles"], "write host=./directory"],
    [["--synthetic", "big.example"], "write host=pages or host=pages:bytes"],
    [["--fault", "tiemout=0.1"], 'did you mean "timeout"?'],
    [["--fault", "timeout=2"], "the probability must be a number from 0 to 1"],
    [["--rates", "nowhere.yaml"], "nowhere.yaml"],
    [["--service", "with space"], "service"],
    [["--token-life", "3"], "not a duration"],
    [["--token-life", "0s"], "3s or 5m"],
    [["--profile", "nowhere.yaml"], "nowhere.yaml"],
    [["--site", "news.example", "--site", "news.example"], "given twice"],
  ])("%j", async (args, message) => {
    expect(await cliHere(["sandbox", "--port", "0", ...args], { cwd: directory.path })).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining(message),
    });
  });
});
