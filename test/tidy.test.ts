/** The project's rules that a linter cannot check. Each test names what is wrong and where, so the failure itself is the hint. */
import { execFileSync } from "node:child_process";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { ERROR_CODES, type ErrorCode } from "../src/errors.ts";
import { STAGES } from "../src/queue/queue.ts";
import { PATIENCE, TEST_TIMEOUT_MS } from "./doubles/patience.ts";
import { readErrorDetails } from "./tidy/error-details.ts";
import { findBreaches, findUpwardRows, importsOf, parseImportRules } from "./tidy/import-rules.ts";
import { codeIn, exists, listFiles, read, tableBelow } from "./tidy/repository.ts";

const files = listFiles();
const sources = files.filter((file) => /^(src|jobs)\/.*\.ts$/.test(file));
const rooms = [...new Set(sources.flatMap((file) => roomOf(file) ?? []))].sort();

const SOURCE_MAX_LINES = 300;
const TEST_MAX_LINES = 400;

describe("errors", () => {
  // What a paragraph does not say is as the introduction says: retry never, ends the run.
  const sections = [
    ...read("docs/errors.md").matchAll(
      /^### (\S+)\n\n(?=.)(?:retry: (\w+))?(?: · )?(?:ends: (\w+))?(?: · )?(?:details: (.+))?(?:\n\n)?(.+)/gm,
    ),
  ].map(([, code = "", retry = "never", stops = "run", details]) => ({ code, retry, stops, details }));

  test("each code of src/errors.ts has its paragraph in docs/errors.md, and each paragraph its code", () => {
    expect(sections.map(({ code }) => code).sort()).toEqual(Object.keys(ERROR_CODES).sort());
  });

  test("each paragraph has the class of the code", () => {
    const documented = Object.fromEntries(sections.map(({ code, retry, stops }) => [code, { retry, stops }]));
    expect(documented).toEqual(ERROR_CODES);
  });

  test("each paragraph names the details of the code, as src/error-details.ts declares them", () => {
    const { byCode, ofCalls } = readErrorDetails(read("src/error-details.ts"));
    const documented = Object.fromEntries(
      sections.map(({ code, details }) => [code, details?.split(", ").map((name) => name.replaceAll("`", "")) ?? []]),
    );
    expect(documented).toEqual(byCode);
    expect(ofCalls.filter((name) => !read("docs/errors.md").includes(`\`${name}\``))).toEqual([]);
  });

  test("each code is raised somewhere: a comparison or an exit code is not enough", () => {
    const raising = sources.filter((file) => file !== "src/errors.ts" && file !== "src/cli/exit-code.ts");
    const texts = raising.map((file) => withoutComparisons(read(file)));
    const unraised = (Object.keys(ERROR_CODES) as ErrorCode[]).filter(
      (code) => !texts.some((text) => text.includes(`"${code}"`)),
    );
    expect(unraised).toEqual([]);
  });

  test.each([
    'if (isLicetError(error, "LEDGER_LOCKED")) {',
    'isLicetError(\n  await fail(error),\n  "LEDGER_LOCKED",\n)',
    'error.code === "LEDGER_LOCKED"',
    '"LEDGER_LOCKED" !== error.code',
    'case "LEDGER_LOCKED":',
  ])("%j is a comparison", (text) => {
    expect(withoutComparisons(text)).not.toContain("LEDGER_LOCKED");
  });
});

/** What looks at a code without making an error of it. */
function withoutComparisons(text: string): string {
  return text
    .replace(/\bisLicetError\((?:[^()]|\([^()]*\))*\)/g, "")
    .replace(/(?:[!=]==\s*"[A-Z_]+"|"[A-Z_]+"\s*[!=]==|\bcase "[A-Z_]+":)/g, "");
}

describe("commands", () => {
  const commands = namesIn("src/cli/commands");

  test("each has a section in docs/commands.md, and each section a command", () => {
    const sections = [...read("docs/commands.md").matchAll(/^#{2,3} `?licet ([a-z]+)/gm)].map(([, name]) => name);
    expect([...new Set(sections)].sort()).toEqual(commands);
  });

  test("each has its exit codes in docs/commands.md, once", () => {
    const rows = tableBelow(read("docs/commands.md"), "### Exit codes of each command");
    expect(rows.flatMap(([named = ""]) => codeIn(named)).sort()).toEqual(commands);
  });
});

describe("installing", () => {
  test("the lock file keeps npm from compiling better-sqlite3: put `gypfile: false` back after `npm install`", () => {
    const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, { gypfile?: boolean }> };
    expect(packages["node_modules/better-sqlite3"]?.gypfile).toBe(false);
  });
});

describe("stages and ports", () => {
  test("each stage of the queue has a job file, and the index registers it", () => {
    const jobs = files.flatMap((file) => file.match(/^jobs\/(\w+)\.job\.ts$/)?.[1] ?? []);
    expect(jobs.sort()).toEqual([...STAGES].sort());
    const index = read("jobs/index.ts");
    expect(STAGES.filter((stage) => !index.includes(`${stage}: ${stage}Job(`))).toEqual([]);
  });

  const ports = [
    "src/gateway/gateway.ts",
    "src/queue/queue.ts",
    ...files.filter((file) => /^src\/ledger\/[^/]+\.ts$/.test(file)),
  ];
  test.each(ports)("each method of %s is called in a contract suite, or in a file that it imports", (port) => {
    const suites = files.filter((file) => file.startsWith("test/contract/"));
    const texts = [
      ...new Set([
        ...suites,
        ...suites.flatMap((suite) => importsOf(suite, read(suite))).filter((file) => files.includes(file)),
      ]),
    ].map(read);
    const isCalled = (method: string) => texts.some((text) => text.includes(`.${method}(`));
    expect(portMethods(read(port)).filter((method) => !isCalled(method))).toEqual([]);
  });
});

describe("files", () => {
  test("are kebab-case, except those whose names other tools prescribe", () => {
    const named = files.filter((file) => /^(src|jobs|test|bench|docs|config)\//.test(file) && !isGolden(file));
    const parts = new Set(named.flatMap((file) => file.split("/")));
    // GitHub shows it below the files of its folder.
    parts.delete("README.md");
    // Builders of images look for it, and for the list of what they do not get.
    parts.delete("Containerfile");
    parts.delete("Containerfile.dockerignore");
    // A unit of which systemd starts several.
    parts.delete("licet-worker@.service");
    expect([...parts].filter((part) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/.test(part))).toEqual([]);
  });

  test("and folders are named by concept, not by kind", () => {
    const kinds = /(^|\/)(utils?|helpers?|common|misc|types?|shared|lib)(\/|\.[a-z.]+$)/;
    expect(files.filter((file) => /^(src|jobs|test|bench)\//.test(file) && kinds.test(file))).toEqual([]);
  });

  test("of source have at most 300 lines, of tests 400", () => {
    const limit = (file: string) => (file.startsWith("test/") ? TEST_MAX_LINES : SOURCE_MAX_LINES);
    const tooLong = files
      .filter((file) => /^(src|jobs|test)\/.*\.ts$/.test(file) && !read(file).startsWith("// Generated from "))
      .filter((file) => read(file).trimEnd().split("\n").length > limit(file));
    expect(tooLong).toEqual([]);
  });

  test("of source contain no marks for later work", () => {
    const marks = new RegExp(["TO", "DO|FIX", "ME|XX", "X\\b"].join(""));
    expect(sources.filter((file) => marks.test(read(file)))).toEqual([]);
  });

  test("name no package registry and no path of a machine", () => {
    const machine =
      /registry\.[a-z]+js\.|registry\.npmjs|verdaccio|artifactory|(?<![\w.:])\/(home|Users|root|work|mnt)\/[a-z]/;
    const own = new Set(["test/tidy.test.ts"]);
    const hits = files.filter((file) => !own.has(file) && !isGolden(file) && machine.test(read(file)));
    expect(hits).toEqual([]);
  });

  test("of golden cases are all read by a test", () => {
    const tests = files.filter((file) => /^test\/.*\.ts$/.test(file)).map(read);
    const isRead = (file: string) => {
      const [, , set = "", name = ""] = file.split("/");
      const readers = tests.filter((text) => text.includes(`golden/${set}`));
      return readers.some((text) => text.includes("readdir") || text.includes(name));
    };
    expect(files.filter((file) => isGolden(file) && !isRead(file))).toEqual([]);
  });

  // Vitest's own limit is a second, which a busy machine decides.
  test("of tests have patience in each wait, and no time limit below the common one", () => {
    const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
    const impatient = (text: string) =>
      count(text, /\bvi\.wait(For|Until)\(/g) > count(text, /(PATIENCE|WAIT),?\s*\)/g);
    const shorter = (text: string) =>
      [...text.matchAll(/(?:^\s*\}, |\btimeout: )(\d+_000)\b/gm)].some(
        ([, ms = ""]) => Number(ms.replaceAll("_", "")) < TEST_TIMEOUT_MS,
      );
    /** A limit with a name of its own. */
    const named = (text: string) => {
      const limits = new Map(
        [...text.matchAll(/^const (\w+_MS) = ([\d_]+);$/gm)].map(([, name = "", ms = ""]) => [
          name,
          Number(ms.replaceAll("_", "")),
        ]),
      );
      const uses = text.matchAll(/(?:\btimeout: (?:\d+ \* )?|\.setTimeout\()(\w+_MS)\b/g);
      return [...uses].some(([, name = ""]) => (limits.get(name) ?? PATIENCE.timeout) < PATIENCE.timeout);
    };
    const tests = files.filter((file) => /^test\/.*\.ts$/.test(file) && file !== "test/doubles/patience.ts");
    expect(tests.filter((file) => [impatient, shorter, named].some((breaks) => breaks(read(file))))).toEqual([]);
  });
});

describe("words", () => {
  test("say 'is not a' where 'is no' would say the same", () => {
    const isNo =
      /(?<![Tt]here )\b(is|are|was|were) no (?!longer\b|more\b|less\b|fewer\b|larger\b|smaller\b|later\b|sooner\b)[^\n]*/g;
    const texts = files.filter(
      (file) => /\.(ts|mjs|md)$/.test(file) && !isGolden(file) && file !== "test/tidy.test.ts",
    );
    expect(texts.flatMap((file) => [...read(file).matchAll(isNo)].map(([text]) => `${file}: ${text}`))).toEqual([]);
  });

  test("of the newest commits name an area, and fit into 72 characters", () => {
    const subjects = exists(".git") ? execFileSync("git", ["log", "-30", "--format=%s"], { encoding: "utf8" }) : "";
    const isGood = (subject: string) =>
      subject.length <= 72 && /^[a-z][a-z0-9-]*(, [a-z][a-z0-9-]*)*: \S/.test(subject);
    expect(subjects.split("\n").filter((subject) => subject !== "" && !isGood(subject))).toEqual([]);
  });
});

describe("the map", () => {
  const map = read("ARCHITECTURE.md");
  const rules = parseImportRules(map);

  test("lists each room, and no other", () => {
    const listed = tableBelow(map, "## Rooms").map(([room = ""]) => codeIn(room)[0]?.replace("src/", ""));
    expect(listed.sort()).toEqual(rooms);
    const tops = sources.flatMap((file) => file.match(/^src\/([\w-]+\.ts)$/)?.[1] ?? []);
    expect(rules.rows.map(({ name }) => name).sort()).toEqual([...rooms, ...tops, "jobs"].sort());
  });

  test("lets rooms import only rooms of the rows above, and names only installed packages", () => {
    expect(findUpwardRows(rules)).toEqual([]);
    const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
    const kept = rules.rows.flatMap(({ packages }) => packages);
    expect(kept.filter((name) => !(name in dependencies))).toEqual([]);
  });

  test("agrees with the imports", () => {
    expect(sources.flatMap((file) => findBreaches(file, read(file), rules))).toEqual([]);
  });

  test("keeps the ledger's engine from the parts of the port, and its audit from their writes", () => {
    const partsOf = (part: string) => {
      const files = sources.filter((file) => file.startsWith(`src/ledger/sqlite/${part}/`));
      const targets = files.flatMap((file) => importsOf(file, read(file)));
      return new Set(targets.flatMap((target) => target.match(/^src\/ledger\/sqlite\/(\w+)\//)?.[1] ?? []));
    };
    expect([...partsOf("engine")]).toEqual(["engine"]);
    expect([...partsOf("audit")].sort()).toEqual(["audit", "engine"]);
  });

  test("writes operations of the ledger as functions that may be run again from their beginning", () => {
    const isOfTx = /^(?:export )?(async )?function\*? \w+(?:<[^(]*>)?\(\s*tx: (?:Read|Report)?Tx\b/gm;
    const files = sources.filter((file) => file.startsWith("src/ledger/sqlite/") && read(file).match(isOfTx) !== null);
    expect(files.length).toBeGreaterThan(50);
    const asynchronous = files.filter((file) => [...read(file).matchAll(isOfTx)].some(([, isAsync]) => isAsync));
    expect(asynchronous).toEqual([]);
    const outside =
      /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bhrtime\b|\bMath\.random\b|\brandom(?:UUID|Bytes|Int)\b|\bsystemClock\b/;
    expect(files.filter((file) => outside.test(read(file)))).toEqual([]);
    // A statement is prepared where its text is found again, and by what reads with its own SQL.
    const preparing = sources.filter(
      (file) => /^src\/ledger\/sqlite\//.test(file) && /\.prepare(?:<[^(]*>)?\((?!\))/.test(read(file)),
    );
    expect([...new Set(preparing.map((file) => posix.dirname(file)))].sort()).toEqual([
      "src/ledger/sqlite/audit",
      "src/ledger/sqlite/copies",
      "src/ledger/sqlite/engine",
    ]);
  });

  test("has no circle of files in the ledger", () => {
    const files = sources.filter((file) => file.startsWith("src/ledger/"));
    const imports = new Map(
      files.map((file) => [file, importsOf(file, read(file)).filter((target) => files.includes(target))]),
    );
    // What imports nothing that is left is in no circle: in the end, what is left is in one or leads to one.
    for (let before = 0; before !== imports.size; ) {
      before = imports.size;
      for (const [file, targets] of imports) {
        if (!targets.some((target) => imports.has(target))) {
          imports.delete(file);
        }
      }
    }
    expect([...imports.keys()]).toEqual([]);
  });

  test("has one file that loads drizzle, for the schema and the reports, and reports that ask nothing past it", () => {
    const matching = (pattern: RegExp) => sources.filter((file) => pattern.test(read(file)));
    expect(matching(/^(?:import|export) (?!type\b)[^;]*from "drizzle-orm/m)).toEqual([]);
    expect(matching(/\b(?:require|(?<!typeof )import)\(\s*"drizzle-orm/)).toEqual([
      "src/ledger/sqlite/engine/drizzle.ts",
    ]);
    const users = matching(/^import (?!type\b)[^;]*\/drizzle\.ts"/m).map((file) => posix.dirname(file));
    expect([...new Set(users)].sort()).toEqual(["src/ledger/sqlite/reports", "src/ledger/sqlite/schema"]);
    // What drizzle prepares it does so without an argument.
    const past = matching(/\.prepare(?:<[^(]*>)?\((?!\))/).filter((file) => file.includes("/reports/"));
    expect(past).toEqual([]);
  });
});

/** The names of a folder's files, without ending. */
function namesIn(folder: string): string[] {
  return files
    .filter((file) => posix.dirname(file) === folder && file.endsWith(".ts"))
    .map((file) => posix.basename(file, ".ts"))
    .sort();
}

function isGolden(file: string): boolean {
  return file.startsWith("test/golden/");
}

/** The methods of a port's interfaces: lines of the form `name(…` or `name<T>(…` at their first level. */
function portMethods(text: string): string[] {
  const bodies = [...text.matchAll(/^export interface \w+[^{]*\{\n([\s\S]*?)^\}/gm)].map(([, body = ""]) => body);
  return bodies.flatMap((body) => [...body.matchAll(/^ {2}(\w+)(?:<[^(]*>)?\(/gm)].map(([, name = ""]) => name));
}

function roomOf(file: string): string | null {
  return file.match(/^src\/([^/]+)\//)?.[1] ?? null;
}
