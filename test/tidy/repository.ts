/** The repository as text, for the tests of the project's rules. Paths are relative to its root, with `/`. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
/** What .gitignore leaves out, for a tree without git's own list. */
const NOT_OURS: ReadonlySet<string> = new Set([".git", "node_modules", "dist", "lib", "data", ".licet", "coverage"]);

/** Files that belong to the project: those that git tracks, or, where there is no git, those of the tree. */
export function listFiles(): readonly string[] {
  return listTracked() ?? listTree("");
}

function listTracked(): readonly string[] | null {
  try {
    const listed = execFileSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8", stdio: "pipe" });
    const files = listed.split("\0").filter((file) => file !== "" && exists(file));
    return files.length === 0 ? null : files;
  } catch {
    return null;
  }
}

function listTree(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (NOT_OURS.has(entry.name)) {
      return [];
    }
    return entry.isDirectory() ? listTree(path) : [path];
  });
}

export function exists(path: string): boolean {
  return existsSync(join(ROOT, path));
}

export function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** A fenced block of a Markdown text. `claims` is the file that the comment line before it names, or null. */
export interface CodeBlock {
  readonly language: string;
  readonly text: string;
  readonly claims: string | null;
}

/** `<!-- path/of/file -->` in the line before a fence says that the block is that file. */
const FENCED = /(?:^<!-- (\S+) -->\n+)?^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm;

export function codeBlocks(markdown: string): readonly CodeBlock[] {
  return [...markdown.matchAll(FENCED)].map(([, claims, language = "", text = ""]) => ({
    language,
    text,
    claims: claims ?? null,
  }));
}

/** The rows of the first table below a heading, as cells. */
export function tableBelow(markdown: string, heading: string): readonly (readonly string[])[] {
  const lines = markdown.slice(markdown.indexOf(`\n${heading}\n`) + 1).split("\n");
  const start = lines.findIndex((line) => line.startsWith("|"));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith("|"));
  return lines.slice(start + 2, end).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The texts in code marks. */
export function codeIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
}
