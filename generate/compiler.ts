/**
 * The types of the sources with their comments, as the compiler knows them. The types are the declaration of what licet takes and answers: decision
 * 0093 says why they are not inferred from schemas. The compiler's interface is used in this folder alone.
 */
import { API, type Checker, type Symbol as Named, SignatureKind, type Type } from "typescript/unstable/sync";

export type { Named };

const PROJECT = "tsconfig.build.json";

/** @param work gets the compiler, which ends afterwards, and an exported type of a file by its name. The working directory is that of the project */
export function withCompiler<Result>(
  work: (types: Types, find: (file: string, name: string) => Type) => Result,
): Result {
  const api = new API();
  try {
    const [project] = api.updateSnapshot({ openProjects: [PROJECT] }).getProjects();
    if (project === undefined) {
      throw new Error(`${PROJECT} is not a project of the compiler`);
    }
    const { program, checker } = project;
    return work(new Types(checker), (file, name) => {
      const source = program.getSourceFile(file);
      const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
      const found = module && checker.getExportsOfModule(module).find((one) => one.name === name);
      if (found === undefined) {
        throw new Error(`${file} has no ${name}`);
      }
      return checker.getDeclaredTypeOfSymbol(found);
    });
  } finally {
    api.close();
  }
}

export class Types {
  readonly checker: Checker;

  constructor(checker: Checker) {
    this.checker = checker;
  }

  fieldsOf(type: Type): readonly Named[] {
    return this.checker.getPropertiesOfType(type);
  }

  typeOf(symbol: Named): Type {
    const type = this.checker.getTypeOfSymbol(symbol);
    if (type === undefined) {
      throw new Error(`${symbol.name} has no type`);
    }
    return type;
  }

  /** The types of what a call takes; of a call in several forms, the last one's. */
  parametersOf(call: Named): readonly Type[] {
    const signatures = this.checker.getSignaturesOfType(this.typeOf(call), SignatureKind.Call);
    return (signatures.at(-1)?.getParameters() ?? []).map((parameter) => {
      const type = this.typeOf(parameter);
      return type.isUnionType() ? (type.getTypes().find((one) => one.isObjectType()) ?? type) : type;
    });
  }

  /** In one line, as documents spell: the noun with a c, where code has an s. Code in a comment stays as it is. */
  commentOf(symbol: Named | undefined): string {
    const comment = symbol?.getDocumentationComment(this.checker).replaceAll(/\s+/g, " ").trim() ?? "";
    return comment
      .split("`")
      .map((text, place) => (place % 2 === 0 ? text.replaceAll(/\b([Ll])icense(?=s?\b)/g, "$1icence") : text))
      .join("`");
  }

  tagOf(symbol: Named, name: string): string | undefined {
    const tag = symbol.getJsDocTags(this.checker).find((one) => one.name === name);
    return tag?.text?.replaceAll(/\s+/g, " ").trim();
  }

  /** What an option means, with its default. */
  meaningOf(option: Named): string {
    const usual = this.tagOf(option, "default");
    return `${this.commentOf(option)}${usual === undefined ? "" : ` Default: ${usual}.`}`.trim();
  }
}
