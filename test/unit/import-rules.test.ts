/** The checker of imports on small made-up rooms: each kind of import that a row does not allow is found and named. */
import { describe, expect, test } from "vitest";
import { findBreaches, findUpwardRows, importsOf, parseImportRules } from "../tidy/import-rules.ts";

const MAP = `
## Who may import whom

| room | may import | packages kept to it |
|---|---|---|
| \`errors.ts\` | | |
| \`*\`, every room but \`checker\` | \`errors.ts\` | |
| \`time\` | | |
| \`rates\` | \`time\` | |
| \`ledger\` | \`time\` \`rates\` | \`sqlite\` \`@scope/driver\` |
| \`queue\` | \`time\` | |
| \`stages\` | \`ledger/*.ts\` \`queue/queue.ts\` | |
| \`jobs\` | \`stages\` | |
| \`checker\` | \`time/clock.ts\` | |
| \`index.ts\` | \`jobs\` \`errors.ts\` | |
`;
const rules = parseImportRules(MAP);

const breachesOf = (file: string, target: string) => findBreaches(file, `import { x } from "${target}";`, rules);

describe("an import is refused", () => {
  test.each([
    ["of a room that the row does not name", "src/rates/rate.ts", "../queue/queue.ts"],
    ["of a room above, from a folder in a room", "src/ledger/sqlite/schema/pages.ts", "../../../queue/queue.ts"],
    ["of a room by the long way round", "src/rates/rate.ts", "../../src/queue/queue.ts"],
    ["of an adapter, where the row names the port's file", "src/stages/walk.ts", "../queue/redis-queue.ts"],
    ["of a folder, where the row names a room's files", "src/stages/walk.ts", "../ledger/sqlite/open.ts"],
    ["of jobs, from a room that starts no workers", "src/stages/walk.ts", "../../jobs/index.ts"],
    ["of a room, from a room that may import one of its files", "src/checker/account.ts", "../time/period.ts"],
    ["of what is open to all, from the room that stands apart", "src/checker/account.ts", "../errors.ts"],
    ["of a room, from a file that stands alone", "src/errors.ts", "./time/clock.ts"],
    ["of the public face, from inside", "src/rates/rate.ts", "../index.ts"],
    ["of a test", "src/rates/rate.ts", "../../test/support/clock.ts"],
    ["of a package that another room keeps", "src/stages/walk.ts", "sqlite"],
    ["of a part of a package that another room keeps", "src/stages/walk.ts", "sqlite/core"],
    ["of a scoped package that another room keeps", "src/checker/books.ts", "@scope/driver/part"],
  ])("%s", (_, file, target) => {
    expect(breachesOf(file, target)).toHaveLength(1);
  });

  test.each([
    ['export { x } from "../queue/queue.ts";'],
    ['export * from "../queue/queue.ts";'],
    ['import type { X } from "../queue/queue.ts";'],
    ['import {\n  x,\n  type Y,\n} from "../queue/queue.ts";'],
    ['import "../queue/queue.ts";'],
    ['const { x } = await import("../queue/queue.ts");'],
    ['const { x } = await import(\n  "../queue/queue.ts"\n);'],
    ['type X = import("../queue/queue.ts").X;'],
    ['const x = require("../queue/queue.ts");'],
    ["import { x } from '../queue/queue.ts';"],
  ])("as it is written in %j", (text) => {
    expect(findBreaches("src/rates/rate.ts", text, rules)).toEqual([
      "src/rates/rate.ts imports src/queue/queue.ts: rates may import `time` `errors.ts` (ARCHITECTURE.md)",
    ]);
  });

  test("with the room that keeps a package", () => {
    expect(breachesOf("src/stages/walk.ts", "sqlite")).toEqual([
      "src/stages/walk.ts imports the package sqlite: only ledger may (ARCHITECTURE.md)",
    ]);
  });

  test("from a file that has no row", () => {
    expect(breachesOf("src/serve/server.ts", "node:http")).toEqual([
      'src/serve/server.ts: ARCHITECTURE.md has no row for it under "Who may import whom"',
    ]);
  });
});

describe("an import is allowed", () => {
  test.each([
    ["of a room that the row names", "src/ledger/ledger.ts", "../rates/rate.ts"],
    ["within a room", "src/ledger/sqlite/open.ts", "../ledger.ts"],
    ["of a file that the row names", "src/stages/walk.ts", "../queue/queue.ts"],
    ["of the files of a room", "src/stages/walk.ts", "../ledger/run-ledger.ts"],
    ["of the one file that a room may see", "src/checker/account.ts", "../time/clock.ts"],
    ["of what is open to all", "src/rates/rate.ts", "../errors.ts"],
    ["between jobs, and of stages", "jobs/walk.job.ts", "../src/stages/walk.ts"],
    ["of a package that the room keeps", "src/ledger/sqlite/open.ts", "sqlite"],
    ["of a package that nobody keeps", "src/rates/rate.ts", "zod"],
    ["of a scoped package that nobody keeps", "src/rates/rate.ts", "@scope/other"],
    ["of Node's own", "src/rates/rate.ts", "node:fs/promises"],
  ])("%s", (_, file, target) => {
    expect(breachesOf(file, target)).toEqual([]);
  });
});

test("a row that allows a later or missing row is found", () => {
  expect(findUpwardRows(rules)).toEqual([]);
  const rows = [
    { name: "time", allowed: ["rates"], packages: [] },
    { name: "rates", allowed: ["queue/queue.ts"], packages: [] },
  ];
  expect(findUpwardRows({ rows, open: ["errors.ts"], apart: [] })).toEqual([
    "time → rates",
    "rates → queue",
    "errors.ts",
  ]);
});

test("packages are known by their names, files by their paths from the root", () => {
  expect(importsOf("src/a/b.ts", 'import a from "node:fs/promises"; import b from "@x/y/z"; import "./c.ts";')).toEqual(
    ["node:fs", "@x/y", "src/a/c.ts"],
  );
});
