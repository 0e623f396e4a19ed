/**
 * What `import … from "licet"` gives, read from the declarations that the compiler emits: each name with its declaration, and the
 * types of ours that the declaration names.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface PublicName {
  /** As it is imported. */
  readonly name: string;
  /** As it is declared; another one where it is renamed on its way out. */
  readonly declaredName: string;
  /** Without comments, and with the constants that it takes the type of. */
  readonly declaration: string;
  /** Types of ours that it names, as they are declared. */
  readonly uses: readonly string[];
  /** Whether its declaration has a comment. */
  readonly isDocumented: boolean;
}

const STATEMENT = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|function|const) (\w+)/m;
const COMMENT = /^\s*\/\*\*[\s\S]*?\*\/\n/gm;
const RE_EXPORT = /^export (?:type )?\{([^}]*)\} from "([^"]+)"/gm;
const IMPORT = /^import (?:type )?\{([^}]*)\} from "\.[^"]+"/gm;
const INLINE_IMPORT = /import\("\.[^"]+"\)\.(\w+)/g;

/** @param index the emitted declarations of `src/index.ts` */
export function readPublicApi(index: string): readonly PublicName[] {
  return [...readFileSync(index, "utf8").matchAll(RE_EXPORT)]
    .flatMap(([, list = "", from = ""]) => namesIn(list).map((entry) => readName(entry, resolve(index, from))))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readName(entry: string, file: string): PublicName {
  const [declaredName = "", name = declaredName] = entry.split(" as ");
  const text = readFileSync(file, "utf8");
  const statements = splitStatements(text);
  const own = statements.get(declaredName) ?? "";
  const bare = own.replace(COMMENT, "");
  const constants = [...bare.matchAll(/\btypeof (\w+)/g)].map(([, constant = ""]) => constant);
  const values = constants.map((constant) => statements.get(constant)?.replace(COMMENT, "") ?? "");
  const imported = [...text.matchAll(IMPORT)].flatMap(([, list = ""]) => namesIn(list));
  const inScope = new Set([...statements.keys(), ...imported]);
  const words = bare.replace(/"(?:[^"\\]|\\.)*"/g, "").match(/\b[A-Z]\w*/g) ?? [];
  const uses = words.filter((word) => word !== declaredName && inScope.has(word) && !constants.includes(word));
  const inlined = [...bare.matchAll(INLINE_IMPORT)].map(([, type = ""]) => type);
  return {
    name,
    declaredName,
    declaration: [bare, ...values].join("").trim(),
    uses: [...new Set([...uses, ...inlined])].sort(),
    isDocumented: own.trimStart().startsWith("/**"),
  };
}

/** Top-level statements, each with the comment before it, by the name that they declare. Overloads are one. */
function splitStatements(text: string): ReadonlyMap<string, string> {
  const statements = new Map<string, string>();
  let comment = "";
  for (const part of text.split(/^(?=\/\*\*|export |declare |interface |type |import )/m)) {
    const name = STATEMENT.exec(part)?.[1];
    if (name !== undefined) {
      statements.set(name, (statements.get(name) ?? "") + comment + part);
    }
    comment = part.startsWith("/**") && name === undefined ? part : "";
  }
  return statements;
}

/** `A, type B, C as D`, without what is said of them. */
function namesIn(list: string): readonly string[] {
  return list
    .split(",")
    .map((entry) => entry.trim().replace(/^type /, ""))
    .filter((entry) => entry !== "");
}

function resolve(file: string, specifier: string): string {
  const path = join(dirname(file), specifier.replace(/\.[jt]s$/, ".d.ts"));
  if (!existsSync(path)) {
    throw new Error(`${file} exports from ${specifier}, which is not there`);
  }
  return path;
}
