/**
 * Mutants that are not code any more: they use a name that a later change took away. Such a mutant fails in every suite that loads it, and counts as
 * noticed whatever the suite looks at. The compiler sees many mutants at once: all that change different places.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Other errors are of types alone: a suite plays such a mutant as the compiler would not. */
const NOT_CODE = /^(\S+)\((\d+),\d+\): error TS(?:2304|2552|18004|1\d\d\d): (.*)$/;

/**
 * @param copy of the project, in which nothing is changed at the end
 * @returns what is wrong with which mutants, in words
 */
export function findUnknownNames(copy, mutants) {
  return groupApart(mutants, (file) => readFileSync(join(copy, file), "utf8")).flatMap((group) => compile(copy, group));
}

/** @returns maps of files to mutants that change different places of them, in the order of these */
function groupApart(mutants, read) {
  const groups = [];
  for (const mutant of mutants.filter(({ file }) => file.endsWith(".ts"))) {
    const at = read(mutant.file).indexOf(mutant.find);
    const placed = { ...mutant, at, end: at + mutant.find.length };
    const isApart = (other) => placed.end <= other.at || other.end <= placed.at;
    let group = groups.find((one) => (one.get(mutant.file) ?? []).every(isApart));
    if (group === undefined) {
      group = new Map();
      groups.push(group);
    }
    const others = group.get(mutant.file) ?? [];
    group.set(
      mutant.file,
      [...others, placed].sort((one, other) => one.at - other.at),
    );
  }
  return groups;
}

function compile(copy, group) {
  const sources = new Map();
  const places = [];
  for (const [file, mutants] of group) {
    const source = readFileSync(join(copy, file), "utf8");
    sources.set(file, source);
    let text = "";
    let from = 0;
    for (const { name, at, end, replace } of mutants) {
      text += source.slice(from, at);
      const first = text.split("\n").length;
      text += replace;
      places.push({ file, name, first, last: text.split("\n").length });
      from = end;
    }
    writeFileSync(join(copy, file), text + source.slice(from));
  }
  const { stdout } = spawnSync("node_modules/.bin/tsc", ["--noEmit", "-p", "tsconfig.json"], {
    cwd: copy,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  for (const [file, source] of sources) {
    writeFileSync(join(copy, file), source);
  }
  return stdout.split("\n").flatMap((error) => {
    const [, file, line, why] = NOT_CODE.exec(error) ?? [];
    const near = places.filter(
      (one) => one.file === file && one.first - 1 <= Number(line) && Number(line) <= one.last + 1,
    );
    return file === undefined ? [] : [`${near.map(({ name }) => name).join(", or ")} (${file}): ${why}`];
  });
}
