/** `licet status --watch` and `licet runs --follow`: the work of another call as it happens. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cliHere, startCliHere } from "../doubles/cli-here.ts";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "../doubles/cli-world.ts";

const PAGES = 24;
let world: CliWorld;

beforeAll(async () => {
  world = await createCliWorld(
    { sites: [newsSite(PAGES)], rates: ONE_PRICE, latencyMs: 60 },
    { gateway: { concurrency: 2 } },
  );
});
afterAll(() => world.close());

const start = (args: readonly string[], place: { readonly isTerminal?: boolean } = {}) =>
  startCliHere(args, { cwd: world.directory, ...place });

describe("a run at work", () => {
  test("is followed until its end: one line a change, and the exit code of the run", async () => {
    expect(await world.cli("runs", "--follow")).toMatchObject({ code: 1 });
    const running = start(["run", "--max-pages", "12"]);
    await running.whenSaid(/pages|seen/).catch(() => undefined);
    const watching = start(["status", "--watch"]);
    const [, runId = ""] = (await watching.waitFor(/at work: run_\w+/)).split(": ");
    const followed = await start(["runs", "--follow", runId]).end;
    watching.interrupt("SIGINT");
    const lines = followed.stdout.trimEnd().split("\n");
    expect(followed.code).toBe((await running.end).code);
    expect(new Set(lines.map((line) => line.slice(25))).size).toBe(lines.length);
    expect(lines.at(-1)).toMatch(
      new RegExp(`^\\d{4}-\\S+Z ${runId} max_pages: .* 12 bought, 0 failed, 0 in doubt; 0\\.12 USD spent$`),
    );
    expect(await watching.end).toMatchObject({ code: 130, stderr: expect.stringContaining("what works goes on") });
  });

  test("is drawn in place on a terminal, and ends with its summary", async () => {
    expect(await world.cli("run", "--max-spend", "0.02 USD")).toMatchObject({ code: 3 });
    const running = start(["run"]);
    const following = start(["runs", "--follow"], { isTerminal: true });
    const { code, stdout } = await following.end.then((end) =>
      // The run may not have begun when the first one looked.
      end.code === 1 ? start(["runs", "--follow"], { isTerminal: true }).end : end,
    );
    expect((await running.end).code).toBe(0);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Run run_\w+ (?:\(manual\) of|is complete)/);
    expect(stdout).toContain("is complete");
    expect(stdout).not.toContain("\u001b[2J");
  });

  test("that has ended is over at once", async () => {
    const runId = ((await world.json("runs")).value as { runs: { runId: string }[] }).runs[0]?.runId ?? "";
    const { runs } = (await world.json("runs")).value as { runs: { runId: string; state: string }[] };
    const spent = runs.find(({ state }) => state === "max_spend")?.runId ?? "";
    expect(await world.cli("runs", "--follow", spent)).toMatchObject({ code: 3 });
    const { code, stdout } = await cliHere(["runs", runId, "--follow", "--json"], { cwd: world.directory });
    expect({ code, report: JSON.parse(stdout) }).toMatchObject({ code: 0, report: { runId, state: "completed" } });
    expect(await world.cli("status", "run_nope", "--watch")).toMatchObject({ code: 1 });
    expect((await world.cli("runs", "--follow", "--limit", "3")).code).toBe(2);
  });
});
