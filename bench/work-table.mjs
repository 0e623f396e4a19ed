/**
 * The work table: what one page costs, counted and not timed. Row and index writes, statements, commits; writes and waits for the disk
 * (where the machine has strace); bytes allocated on the heap; promises.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const HAS_STRACE = spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0;
const SYSTEM_CALLS = ["pwrite64", "fsync", "fdatasync"];
const NAME_CHARS = 24;
const CELL_CHARS = 12;
/** Less of a table is rounded to nothing. */
const SHOWN_FROM = 0.005;

/**
 * @param run starts a licet process with these options, behind a command that may be empty, and gives what it printed
 * @returns the sums of the table: each a number a page, and its parts by table where it has them
 */
export async function countWork(run) {
  const { work, pages } = await run({ measure: "work" });
  const perPage = (count) => count / pages;
  const { allocatedBytes } = await run({ measure: "memory" });
  const { promises } = await run({ measure: "promises" });
  const partsOf = (count) =>
    Object.fromEntries(Object.entries(work.tables).map(([table, kinds]) => [table, perPage(count(kinds))]));
  const sum = (name, count, parts = {}) => ({ name, number: perPage(count), parts });
  return [
    sum(
      "row writes",
      work.rows,
      partsOf(({ insert, update, delete: deleted }) => insert + update + deleted),
    ),
    sum(
      "index writes",
      work.entries,
      partsOf(({ entries }) => entries),
    ),
    sum("statements", work.statements),
    sum("commits", work.commits),
    ...(HAS_STRACE ? await countCalls(run, sum) : []),
    sum("bytes allocated", allocatedBytes),
    sum("promises", promises),
  ];
}

async function countCalls(run, sum) {
  const directory = mkdtempSync(join(tmpdir(), "licet-strace-"));
  const file = join(directory, "calls");
  try {
    await run({}, ["strace", "-f", "-c", "-o", file, "-e", `trace=${SYSTEM_CALLS.join(",")}`]);
    const lines = readFileSync(file, "utf8").split("\n");
    return SYSTEM_CALLS.flatMap((name) => {
      const line = lines.find((one) => one.trim().endsWith(` ${name}`));
      // % time, seconds, µs a call, calls, (errors,) name
      return line === undefined ? [] : [sum(name, Number(line.trim().split(/\s+/)[3]))];
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** @param columns a column a commit: its name and its sums, which are the same ones in each */
export function printTable(print, columns) {
  const printRow = (name, numbers) =>
    print(`  ${name.padEnd(NAME_CHARS)}${numbers.map((number) => format(number).padStart(CELL_CHARS)).join("")}`);
  print(`  ${"a page".padEnd(NAME_CHARS)}${columns.map(({ name }) => name.padStart(CELL_CHARS)).join("")}`);
  for (const [index, { name }] of columns[0].sums.entries()) {
    const sums = columns.map((column) => column.sums[index]);
    printRow(
      name,
      sums.map(({ number }) => number),
    );
    // Also a table that only one of the commits writes.
    const tables = [...new Set(sums.flatMap(({ parts }) => Object.keys(parts)))];
    const rows = tables
      .map((table) => ({ table, numbers: sums.map(({ parts }) => parts[table] ?? 0) }))
      .filter(({ numbers }) => Math.max(...numbers) >= SHOWN_FROM)
      .sort((one, other) => Math.max(...other.numbers) - Math.max(...one.numbers));
    for (const { table, numbers } of rows) {
      printRow(`  ${table}`, numbers);
    }
  }
}

function format(number) {
  return number >= 100 ? number.toFixed(0) : number.toFixed(number >= 10 ? 1 : 2);
}
