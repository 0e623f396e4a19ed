/**
 * Writes `lib/`, the code of the package, from the sources and from the declarations in `dist/`. The package has no module for each of the
 * sources' files: what is loaded together is one file, and a command still loads only what it needs, because each dynamic import is a
 * file of its own. All files are in one directory, so `new URL("./markdown-worker.js", import.meta.url)` is right in each of them. The
 * packages that licet depends on are not bundled.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { PROGRAM, SETTINGS } from "./bundle-settings.ts";

const DECLARATIONS = join("dist", "src");
const LIBRARY = "lib";

/** What is started or imported by its name. `index.js` is written below. */
const ENTRIES = {
  ...PROGRAM,
  api: "src/index.ts",
  "refuse-old-node": "src/refuse-old-node.ts",
};

/**
 * Imports of packages run before the code of the file that has them, so the check of the Node's version has to be a file of its own, and the
 * first import.
 */
const INDEX = 'import "./refuse-old-node.js";\n\nexport * from "./api.js";\n';

rmSync(LIBRARY, { recursive: true, force: true });
await build({ ...SETTINGS, entryPoints: ENTRIES, outdir: LIBRARY, packages: "external" });
writeFileSync(join(LIBRARY, "index.js"), INDEX);
for (const file of findDeclarations("index.d.ts")) {
  cpSync(join(DECLARATIONS, file), join(LIBRARY, file));
}

/** The declarations that a program's compiler reads: those that `index.d.ts` imports, and those that they import. */
function findDeclarations(first: string): ReadonlySet<string> {
  const found = new Set([first]);
  for (const file of found) {
    const text = readFileSync(join(DECLARATIONS, file), "utf8");
    for (const [, imported = ""] of text.matchAll(/(?:\bfrom |\bimport |\bimport\()"(\.[^"]+)"/g)) {
      found.add(relative(".", join(dirname(file), imported.replace(/\.[jt]s$/, ".d.ts"))));
    }
  }
  return found;
}
