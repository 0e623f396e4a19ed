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

/**
 * @param run starts a licet process with these options, behind a command that may be empty, and gives what it printed
 * @returns rows of the table: name and number a page
 */
export async function countWork(run) {
  const { work, pages } = await run({ measure: "work" });
  const perPage = (count) => count / pages;
  const { allocatedBytes } = await run({ measure: "memory" });
  const { promises } = await run({ measure: "promises" });
  return [
    ["row writes", perPage(work.rows)],
    ...tableRows(work.tables, perPage, ({ insert, update, delete: deleted }) => insert + update + deleted),
    ["index writes", perPage(work.entries)],
    ...tableRows(work.tables, perPage, ({ entries }) => entries),
    ["statements", perPage(work.statements)],
    ["commits", perPage(work.commits)],
    ...(HAS_STRACE ? await countCalls(run, perPage) : []),
    ["bytes allocated", perPage(allocatedBytes)],
    ["promises", perPage(promises)],
  ];
}

function tableRows(tables, perPage, count) {
  return Object.entries(tables)
    .map(([table, kinds]) => [`  ${table}`, perPage(count(kinds))])
    .filter(([, number]) => number >= 0.005)
    .sort(([, a], [, b]) => b - a);
}

async function countCalls(run, perPage) {
  const directory = mkdtempSync(join(tmpdir(), "licet-strace-"));
  const file = join(directory, "calls");
  try {
    await run({ measure: "time" }, ["strace", "-f", "-c", "-o", file, "-e", `trace=${SYSTEM_CALLS.join(",")}`]);
    const lines = readFileSync(file, "utf8").split("\n");
    return SYSTEM_CALLS.flatMap((name) => {
      const line = lines.find((one) => one.trim().endsWith(` ${name}`));
      // % time, seconds, µs a call, calls, (errors,) name
      return line === undefined ? [] : [[name, perPage(Number(line.trim().split(/\s+/)[3]))]];
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** @param columns names, each with its rows: a column a commit */
export function printTable(print, columns) {
  const names = [...new Set(columns.flatMap(({ rows }) => rows.map(([name]) => name)))];
  const width = Math.max(...names.map((name) => name.length));
  print(`  ${"a page".padEnd(width)}${columns.map(({ name }) => name.padStart(12)).join("")}`);
  // A part of a sum has the name of a table, and tables stand under more than one sum: so by position, not by name.
  const rows = columns[0].rows;
  rows.forEach(([name], index) => {
    const cells = columns.map((column) => format(find(column.rows, rows, index)));
    print(`  ${name.padEnd(width)}${cells.map((cell) => cell.padStart(12)).join("")}`);
  });
}

/** The row of the same name under the same sum. */
function find(rows, model, index) {
  const [name] = model[index];
  const sum = headOf(model, index);
  const at = rows.findIndex(([other], position) => other === name && headOf(rows, position) === sum);
  return rows[at]?.[1] ?? 0;
}

function headOf(rows, index) {
  return rows.slice(0, index + 1).findLast(([name]) => !name.startsWith(" "))[0];
}

function format(number) {
  return number >= 100 ? number.toFixed(0) : number.toFixed(number >= 10 ? 1 : 2);
}
