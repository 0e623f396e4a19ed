/** docs/reference.md, made from the type `Agent`: each call with what it takes and answers, and each type that these name. */
import { type Symbol as Named, SignatureKind, SymbolFlags, type Type, TypeFlags } from "typescript/unstable/sync";
import { type Types, withCompiler } from "./compiler.ts";

const INTRODUCTION = `# Calls and types

<!-- Generated from the type \`Agent\` and its comments by \`npm run schema:generate\`. Do not edit. -->

Each call of the [library](library.md) with what it takes and what it answers, and the fields of these types. \`--json\` of a [command](commands.md) prints the
answer of its call, and the [HTTP interface](openapi.json) answers the same. Amounts (\`…Micros\`) are whole micros: 1 USD is 1,000,000. Instants (\`…At\`) are
milliseconds since 1970, UTC, or ISO 8601 where the field says it. In JSON, all of them are ISO 8601.
`;
/** Ask the compiler for types as they are, however long. */
const WHOLE = 1;

export function renderAgentReference(): string {
  return withCompiler((compiled, find) => {
    const reference = new Reference(compiled);
    const calls = compiled.fieldsOf(find("src/agent/agent.ts", "Agent")).map((call) => reference.renderCall(call));
    const types = reference.renderTypes(find("src/agent/events/events.ts", "AgentEvents"));
    return [INTRODUCTION, "## Calls\n", ...calls, "## Types\n", ...types].join("\n");
  });
}

const MICROS = "Micros";

/** A value without what is around it: null, a list, a record by names. */
interface Core {
  readonly type: Type;
  /** What the name of a field gets for its items: `[]`, `.<name>`. */
  readonly path: string;
  readonly isNullable: boolean;
}

class Reference {
  readonly #types: Types;
  /** Types of ours that were named, by their names. Rendering one may name another one, which then comes last. */
  readonly #named = new Map<string, Type>();

  constructor(types: Types) {
    this.#types = types;
  }

  renderCall(call: Named): string {
    const type = this.#types.typeOf(call);
    for (const signature of this.#types.checker.getSignaturesOfType(type, SignatureKind.Call)) {
      const answer = this.#types.checker.getReturnTypeOfSignature(signature);
      for (const named of [...signature.getParameters().map((one) => this.#types.typeOf(one)), answer]) {
        this.#noteNames(named);
      }
    }
    const forms = formsOf(this.#write(type)).map((form) => `\`${call.name}${form}\``);
    return `### \`${call.name}\`\n\n${forms.join("\n\n")}\n\n${this.#types.commentOf(call)}\n`;
  }

  /** @param more a type that no call takes or answers as it is */
  renderTypes(more: Type): string[] {
    this.#noteNames(more);
    const sections: string[] = [];
    for (const [name, type] of this.#named) {
      const comment = this.#types.commentOf(type.getAliasSymbol() ?? type.getSymbol());
      const rows = ["| field | type | meaning |", "|---|---|---|", ...this.#rowsOf(type, "")];
      sections.push(`### \`${name}\`\n\n${comment}\n\n${rows.join("\n")}\n`);
    }
    return sections;
  }

  #rowsOf(type: Type, path: string): string[] {
    return this.#types.fieldsOf(type).flatMap((field) => {
      const given = this.#types.typeOf(field);
      const name = `${path}${field.name}`;
      const core = this.#coreOf(given);
      const isInline = this.#isInline(core.type);
      if (!isInline) {
        this.#noteNames(given);
      }
      const written = isInline ? "" : `\`${this.#write(given).replaceAll("|", "\\|")}\``;
      const meaning = this.#types.meaningOf(field).replaceAll("|", "\\|");
      const mark = field.flags & SymbolFlags.Optional ? "?" : "";
      const row = `| \`${name}${mark}\` | ${isInline && core.isNullable ? "or null" : written} | ${meaning} |`;
      return [row, ...(isInline ? this.#rowsOf(core.type, `${name}${core.path}.`) : [])];
    });
  }

  #coreOf(type: Type, path = "", isNullable = false): Core {
    const inner = type.isUnionType() ? type.getTypes().filter(({ flags }) => !(flags & NOTHING)) : [];
    const [only] = inner;
    if (only !== undefined && inner.length === 1) {
      return this.#coreOf(only, path, true);
    }
    const { checker } = this.#types;
    if (type.isTypeReference() && checker.isArrayLikeType(type)) {
      return this.#coreOf(checker.getTypeArguments(type)[0] as Type, `${path}[]`, isNullable);
    }
    const [index] = type.isObjectType() ? checker.getIndexInfosOfType(type) : [];
    return index === undefined
      ? { type, path, isNullable }
      : this.#coreOf(index.valueType, `${path}.<name>`, isNullable);
  }

  #noteNames(type: Type | undefined): void {
    for (const one of type?.isUnionType() ? type.getTypes() : [type]) {
      const core = one === undefined ? undefined : this.#coreOf(one).type;
      if (core?.isTypeReference()) {
        for (const argument of this.#types.checker.getTypeArguments(core)) {
          this.#noteNames(argument);
        }
      }
      const name = core === undefined ? null : this.#nameOf(core);
      if (core !== undefined && name !== null && !this.#named.has(name)) {
        this.#named.set(name, core);
      }
    }
  }

  /** Null: it is not an object of ours, or is described where it is used. */
  #nameOf(type: Type): string | null {
    const symbol = type.getAliasSymbol() ?? type.getSymbol();
    const isObject =
      (type.isObjectType() || type.isIntersectionType()) && !this.#isInline(type) && !this.#isFunction(type);
    const isOurs = symbol?.declarations.some(({ path }) => /\/src\//.test(path) && !path.includes("/node_modules/"));
    return symbol !== undefined && isObject && isOurs && symbol.name !== MICROS ? symbol.name : null;
  }

  /** A type without a name is described where it is used. */
  #isInline(type: Type): boolean {
    if (type.getAliasSymbol() !== undefined || !(type.isIntersectionType() || type.isObjectType())) {
      return false;
    }
    return (type.isIntersectionType() || type.getSymbol()?.name === "__type") && !this.#isFunction(type);
  }

  #isFunction(type: Type): boolean {
    return this.#types.checker.getSignaturesOfType(type, SignatureKind.Call).length > 0;
  }

  /** As a program would write it, without what says nothing to a reader. */
  #write(type: Type): string {
    return this.#types.checker
      .typeToString(type, undefined, WHOLE)
      .replaceAll("readonly ", "")
      .replaceAll(" | undefined", "")
      .replaceAll(/Readonly<(Record<[^<>]*>)>/g, "$1");
  }
}

const NOTHING = TypeFlags.Null | TypeFlags.Undefined;

/** `(a) => B` as a declaration has it, and each of several forms. */
function formsOf(written: string): string[] {
  if (written.startsWith("{")) {
    return written.slice("{ ".length, -"; }".length).split(/; (?=\()/);
  }
  const arrow = written.lastIndexOf(") => ");
  return [`${written.slice(0, arrow)}): ${written.slice(arrow + ") => ".length)}`];
}
