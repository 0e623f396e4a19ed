import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, describe, expect, it } from "vitest";
import { toInstallError } from "../../src/install-problem.ts";

const SHOP = mkdtempSync(join(tmpdir(), "licet-install-"));
writeFileSync(join(SHOP, "package.json"), "{}");
afterAll(() => rmSync(SHOP, { recursive: true }));

const PACKAGE = `${SHOP}/node_modules/better-sqlite3`;
const LINUX = { platform: "linux", arch: "x64" };

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** The real error of better-sqlite3 for a native part, with the path of an installation in place of the file's own. */
function openWith(nativeBinding: string): Error {
  try {
    new Database(":memory:", { nativeBinding }).close();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return failure(code ?? "", message.replaceAll(nativeBinding, `${PACKAGE}/build/Release/better_sqlite3.node`));
  }
  throw new Error(`${nativeBinding} was loaded`);
}

describe("toInstallError names what is missing and the command that repairs it", () => {
  it("for a native part that is not there, on a machine for which the package has one", () => {
    const problem = toInstallError(openWith(join(SHOP, "missing.node")), LINUX);
    expect(problem).toMatchObject({
      code: "INSTALL_INCOMPLETE",
      message: expect.stringContaining("the native part of better-sqlite3, which licet needs, is missing"),
      hint: `Install it again: \`rm -rf "${PACKAGE}" && npm install --ignore-scripts\` in ${SHOP}.`,
      details: { package: "better-sqlite3" },
    });
  });

  it("for a machine for which the package has none", () => {
    const problem = toInstallError(openWith(join(SHOP, "missing.node")), { platform: "linux", arch: "riscv64" });
    expect(problem).toMatchObject({
      message: expect.stringContaining("was not built: there is none for linux-riscv64"),
      hint: expect.stringContaining(`npx node-gyp rebuild --release --force_build=1 -C "${PACKAGE}"`),
    });
  });

  it("for a native part of which only a piece is there", () => {
    const file = join(SHOP, "junk.node");
    writeFileSync(file, "junk");
    expect(toInstallError(openWith(file), LINUX)).toMatchObject({
      message: expect.stringMatching(/better-sqlite3, which licet needs, cannot be loaded on this machine: .*\.node: /),
      hint: expect.stringContaining("npm install --ignore-scripts"),
    });
  });

  it.each([
    ["ERR_MODULE_NOT_FOUND", `Cannot find package 'commander' imported from ${SHOP}/node_modules/licet/dist/src/a.js`],
    [
      "MODULE_NOT_FOUND",
      `Cannot find module 'commander/esm'\nRequire stack:\n- ${SHOP}/node_modules/licet/dist/src/a.js`,
    ],
  ])("for a package that is not there (%s)", (code, message) => {
    expect(toInstallError(failure(code, message))).toMatchObject({
      message: "the package commander, which licet needs, is not installed",
      hint: `Run \`npm install\` in ${SHOP}.`,
    });
  });

  it.each([
    [
      "an older C library asks for a compilation",
      failure("ERR_DLOPEN_FAILED", `/lib/libc.so.6: version \`GLIBC_2.38' not found (required by ${PACKAGE}/p/a.node)`),
      LINUX,
      "npx node-gyp rebuild",
    ],
    [
      "Windows removes a directory with another command",
      failure("ERR_DLOPEN_FAILED", `${PACKAGE}/prebuilds/win32-x64.node is not a valid Win32 application.`),
      { platform: "win32", arch: "x64" },
      `rmdir /s /q "${PACKAGE}"`,
    ],
    [
      "an installation without a project is global",
      failure("ERR_MODULE_NOT_FOUND", "Cannot find package 'zod' imported from /nowhere/node_modules/licet/dist/a.js"),
      LINUX,
      "npm install -g licet",
    ],
  ])("%s", (_, error, machine, hint) => {
    expect(toInstallError(error, machine)?.hint).toContain(hint);
  });
});

it.each([
  failure("ERR_MODULE_NOT_FOUND", "Cannot find module '/shop/node_modules/licet/dist/src/a.js' imported from /b.js"),
  failure("MODULE_NOT_FOUND", "Cannot find module './a.js'\nRequire stack:\n- /b.js"),
  failure("ENOENT", "no such file"),
  new Error("bug: something else"),
  "not an error",
])("toInstallError leaves any other error alone: %s", (error) => {
  expect(toInstallError(error)).toBeNull();
});
