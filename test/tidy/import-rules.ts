/**
 * The table "Who may import whom" of ARCHITECTURE.md as rules. The table is the only copy: this file knows how to read a row, and
 * nothing of what the rows say.
 *
 * A row is for a room (a folder of `src`, or `jobs`), a file at the top of `src`, or `*`: every room but those named after it. A cell names
 * rooms, single files (`queue/queue.ts`) or the files of a room without its folders (`ledger/*.ts`).
 */
import { posix } from "node:path";
import { codeIn, tableBelow } from "./repository.ts";

const HEADING = "## Who may import whom";
const EVERY_ROOM = "*";

export interface ImportRow {
  /** The room or file that the row is for, from `src`. */
  readonly name: string;
  /** What its cell allows; a room may always import itself. */
  readonly allowed: readonly string[];
  /** Packages that no other room may import. */
  readonly packages: readonly string[];
}

export interface ImportRules {
  /** In the order of the table. */
  readonly rows: readonly ImportRow[];
  /** What the row `*` allows. */
  readonly open: readonly string[];
  /** Rooms to which the row `*` does not apply. */
  readonly apart: readonly string[];
}

export function parseImportRules(map: string): ImportRules {
  const cells = tableBelow(map, HEADING).map((row) => row.map(codeIn));
  const general = cells.find(([names]) => names?.[0] === EVERY_ROOM);
  return {
    rows: cells.flatMap(([names, allowed = [], packages = []]) => {
      const name = names?.[0] ?? EVERY_ROOM;
      return name === EVERY_ROOM ? [] : [{ name, allowed, packages }];
    }),
    open: general?.[1] ?? [],
    apart: general?.[0]?.slice(1) ?? [],
  };
}

/** What a source imports, types and dynamic imports too: paths from the root of the repository, or names of packages. */
export function importsOf(file: string, text: string): string[] {
  const imported = text.matchAll(/(?:\bfrom|\bimport\(|\brequire\(|\bimport)\s*["'`]([^"'`]+)["'`]/g);
  return [...imported].map(([, target = ""]) =>
    target.startsWith(".")
      ? posix.join(posix.dirname(file), target)
      : target
          .split("/")
          .slice(0, target.startsWith("@") ? 2 : 1)
          .join("/"),
  );
}

/** One sentence for each import that no row allows. */
export function findBreaches(file: string, text: string, { rows, open, apart }: ImportRules): string[] {
  const place = placeOf(file);
  const row = rows.find(({ name }) => name === place?.room);
  if (place === null || row === undefined) {
    return [`${file}: ARCHITECTURE.md has no row for it under "Who may import whom"`];
  }
  const isRoom = place.room !== place.path;
  const allowed = [...row.allowed, ...(isRoom && !apart.includes(row.name) ? open : [])];
  const names = allowed.length === 0 ? "nothing of ours" : allowed.map((name) => `\`${name}\``).join(" ");
  return importsOf(file, text).flatMap((target) => {
    const keeper = rows.find(({ name, packages }) => packages.includes(target) && name !== row.name);
    if (keeper !== undefined) {
      return [`${file} imports the package ${target}: only ${keeper.name} may (ARCHITECTURE.md)`];
    }
    const isOurs = target.includes("/") && !target.startsWith("@");
    return isOurs && !isAllowed(target, row.name, allowed)
      ? [`${file} imports ${target}: ${row.name} may import ${names} (ARCHITECTURE.md)`]
      : [];
  });
}

/** Rows that allow a row below them, or a room without a row. Without such rows, rooms cannot import in a circle. */
export function findUpwardRows({ rows, open, apart }: ImportRules): string[] {
  const names = rows.map(({ name }) => name);
  return rows
    .flatMap(({ name, allowed }, index) =>
      allowed
        .map((target) => (names.includes(target) ? target : (target.split("/")[0] ?? "")))
        .filter((target) => !names.slice(0, index).includes(target))
        .map((target) => `${name} → ${target}`),
    )
    .concat([...open, ...apart].filter((name) => !names.includes(name)));
}

function isAllowed(target: string, room: string, allowed: readonly string[]): boolean {
  const to = placeOf(target);
  if (to === null) {
    return false;
  }
  return (
    to.room === room || allowed.includes(to.room) || allowed.includes(to.path) || allowed.includes(filesBeside(to.path))
  );
}

/** `ledger/ledger.ts` → `ledger/*.ts` */
function filesBeside(path: string): string {
  return `${posix.dirname(path)}/*.ts`;
}

/** The room and the path from `src` of a source; null for what is in no source folder. A file at the top of `src` is its own room. */
function placeOf(file: string): { readonly room: string; readonly path: string } | null {
  const path = file.startsWith("jobs/") ? file : file.startsWith("src/") ? file.slice("src/".length) : null;
  return path === null ? null : { room: path.split("/")[0] ?? path, path };
}
