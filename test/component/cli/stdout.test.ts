/** What goes to stdout, and a stdout that cannot be written. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CliPlace, cliHere } from "../../doubles/cli-here.ts";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "../../doubles/cli-world.ts";

let world: CliWorld;
let place: CliPlace;
beforeAll(async () => {
  world = await createCliWorld({ sites: [newsSite(3)], rates: ONE_PRICE });
  place = { cwd: world.directory };
  expect(await cliHere(["run", "--quiet"], place)).toMatchObject({ code: 0 });
});
afterAll(() => world.close());

const EXPORT = ["export", "--format", "jsonl", "--out", "-"];

describe("export --out -", () => {
  test("writes JSON lines to stdout and nothing else, and says on stderr how many", async () => {
    const { code, stdout, stderr } = await cliHere(EXPORT, place);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "licet: 3 pages written to stdout\n" });
    const lines = stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(
      Array(3).fill({
        priceMicros: 10_000,
        currency: "USD",
        boughtAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
      }),
    );
  });

  test("is refused for Markdown, which is many files, and beside --json", async () => {
    expect(await cliHere(["export", "--format", "markdown", "--out", "-"], place)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("each page is a file of its own"),
    });
    expect(await cliHere([...EXPORT, "--json"], place)).toMatchObject({ code: 2 });
  });

  test("names the configured sites when its --host is unknown", async () => {
    expect(await cliHere([...EXPORT, "--site", "nwes.example"], place)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("news.example"),
    });
  });
});

describe("a stdout that cannot be written", () => {
  const stdoutFails = Object.assign(new Error("write"), { code: "ENOSPC", errno: -28, syscall: "write" });

  test.each([[["status"]], [["status", "--json"]], [EXPORT], [["--help"]], [["run", "--fresh", "--json"]]])(
    "licet %j says so on stderr, and not that it has a bug",
    async (args) => {
      const { code, stderr } = await cliHere(args, { ...place, stdoutFails });
      expect(code).toBe(1);
      expect(stderr).toMatch(/licet: stdout cannot be written \(ENOSPC\)\n {2}hint: [^\n]+\n$/);
      expect(stderr).not.toContain("bug");
    },
  );
});
