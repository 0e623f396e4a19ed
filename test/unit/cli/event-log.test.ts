import { expect, it } from "vitest";
import type { CliIo } from "../../../src/cli/cli-io.ts";
import { createEventLog } from "../../../src/cli/log/event-log.ts";
import { printError } from "../../../src/cli/output/print-error.ts";
import { LicetError } from "../../../src/errors.ts";

const NOON = Date.UTC(2026, 10, 20, 12);

function createIo(isJournal: boolean) {
  const written: string[] = [];
  const write = async (text: string) => void written.push(text);
  const stderr = { isTerminal: false, isJournal, columns: () => 80, write };
  return { io: { stderr, clock: { now: () => NOON } } as unknown as CliIo, written };
}

it("gives each line its priority where the journal of systemd reads it, and nowhere else", () => {
  for (const [isJournal, lines] of [
    [true, ["<3>licet: e\n", "<4>licet: w\n", "<6>licet: i\n", "<7>licet: d\n"]],
    [false, ["licet: e\n", "licet: w\n", "licet: i\n", "licet: d\n"]],
  ] as const) {
    const { io, written } = createIo(isJournal);
    const log = createEventLog(io, { json: false, level: "debug" });
    log.error("e");
    log.warn("w");
    log.info("i");
    log.debug("d");
    expect(written).toEqual(lines);
  }
});

it("writes JSON lines with level, time, fields and message, and without what is below the level", () => {
  const { io, written } = createIo(true);
  const log = createEventLog(io, { json: true, level: "info" });
  log.info("run began", { runId: "run_1" });
  log.debug("bought a page");
  expect(written).toHaveLength(1);
  expect(written[0]?.slice(0, 3)).toBe("<6>");
  expect(JSON.parse(written[0]?.slice(3) ?? "")).toEqual({
    level: 30,
    time: "2026-11-20T12:00:00.000Z",
    runId: "run_1",
    msg: "run began",
  });
});

it("gives each line of an error its priority", async () => {
  const { io, written } = createIo(true);
  const error = new LicetError("RUN_NOT_FOUND", "there is no run\nof that name", { hint: "name another" });
  await printError(io, error, { json: false, debug: false, failure: {} });
  expect(written.join("")).toBe("<3>licet: there is no run\n<3>of that name\n<3>  hint: name another\n");
});
