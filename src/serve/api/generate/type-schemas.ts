/**
 * JSON Schemas of the types that the service answers with, as the compiler sees them. The types and their comments are the declaration; decision 0093
 * says why they are not inferred from schemas.
 *
 * Every number of ours is whole. A name tells an instant from a count. A text with the tag `@format` has that format.
 */
import {
  API,
  type Checker,
  type Symbol as Named,
  type Project,
  SymbolFlags,
  type Type,
  TypeFlags,
} from "typescript/unstable/sync";

export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly additionalProperties?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

const MICROS = "Millionths of the currency.";
/** What the name of a field says of its value. */
const SAID_BY_NAMES: readonly { readonly type: string; readonly name: RegExp; readonly description: string }[] = [
  { type: "integer", name: /(?:^at|At|^until|Until|^since|^next)$/, description: "Milliseconds since 1970, UTC." },
  { type: "string", name: /^currency$/, description: "A currency code, such as USD." },
  { type: "string", name: /^runId$/, description: "A run's id, such as run_0mi5c2k1x8f3a2b4c5d6." },
];
const NULL: JsonSchema = { type: "null" };

/** What is read of one file of types. */
export interface TypeReader {
  /** @returns a schema for each field of an interface, by their names. Where one of them has another's type, it refers to it */
  schemasOf(name: string): Readonly<Record<string, JsonSchema>>;
  /** @returns the comments on the fields of each field of an interface */
  commentsOf(name: string): Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export function readTypes<Result>(tsconfig: string, file: string, work: (reader: TypeReader) => Result): Result {
  const api = new API();
  try {
    const [project] = api.updateSnapshot({ openProjects: [tsconfig] }).getProjects();
    if (project === undefined) {
      throw new Error(`${tsconfig} is not a project of the compiler`);
    }
    const readerOf = (name: string) =>
      new Reader(project.checker, project.checker.getPropertiesOfType(findType(project, file, name)));
    return work({
      schemasOf: (name) => readerOf(name).readSchemas(),
      commentsOf: (name) => readerOf(name).readComments(),
    });
  } finally {
    api.close();
  }
}

function findType({ program, checker }: Project, file: string, name: string): Type {
  const source = program.getSourceFile(file);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  const found = module && checker.getExportsOfModule(module).find((one) => one.name === name);
  if (found === undefined) {
    throw new Error(`${file} has no ${name}`);
  }
  return checker.getDeclaredTypeOfSymbol(found);
}

class Reader {
  readonly #checker: Checker;
  readonly #fields: readonly Named[];
  /** By the id of their type. */
  readonly #names: ReadonlyMap<number, string>;

  constructor(checker: Checker, fields: readonly Named[]) {
    this.#checker = checker;
    this.#fields = fields;
    this.#names = new Map(fields.map((field) => [this.#typeOf(field).id, field.name]));
  }

  readComments(): Readonly<Record<string, Readonly<Record<string, string>>>> {
    const commentOf = (one: Named) => {
      const usual = this.#tagOf(one, "default");
      return describe(`${this.#commentOf(one)}${usual === undefined ? "" : ` Default: ${usual}.`}`).description ?? "";
    };
    const commentsOf = (type: Type) => this.#checker.getPropertiesOfType(type).map((one) => [one.name, commentOf(one)]);
    return Object.fromEntries(
      this.#fields.map((field) => [field.name, Object.fromEntries(commentsOf(this.#typeOf(field)))]),
    );
  }

  readSchemas(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries(
      this.#fields.map((field) => {
        const type = this.#typeOf(field);
        const symbol = type.getAliasSymbol() ?? type.getSymbol();
        return [
          field.name,
          { ...this.#readObject(type), ...describe(symbol === undefined ? "" : this.#commentOf(symbol)) },
        ];
      }),
    );
  }

  #typeOf(symbol: Named): Type {
    const type = this.#checker.getTypeOfSymbol(symbol);
    if (type === undefined) {
      throw new Error(`${symbol.name} has no type`);
    }
    return type;
  }

  #commentOf(symbol: Named): string {
    return symbol.getDocumentationComment(this.#checker).replaceAll(/\s+/g, " ").trim();
  }

  #tagOf(symbol: Named, name: string): string | undefined {
    return symbol
      .getJsDocTags(this.#checker)
      .find((tag) => tag.name === name)
      ?.text?.trim();
  }

  #readField(field: Named): JsonSchema {
    const schema = this.#read(this.#typeOf(field), field.name);
    const comment = schema.description === undefined ? this.#commentOf(field) : withoutUnit(this.#commentOf(field));
    const format = this.#tagOf(field, "format");
    return {
      ...schema,
      ...(format === undefined ? {} : { format }),
      ...describe([comment, schema.description ?? ""].filter((text) => text !== "").join(" ")),
    };
  }

  /** @param name of the field that has the value, or a list of it */
  #read(type: Type, name: string): JsonSchema {
    const known = this.#names.get(type.id);
    if (known !== undefined) {
      return { $ref: `#/components/schemas/${known}` };
    }
    if (type.getAliasSymbol()?.name === "Micros") {
      return { type: "integer", description: MICROS };
    }
    if (type.isUnionType()) {
      return this.#readUnion(type.getTypes(), name);
    }
    if (type.isStringLiteralType() || type.isBooleanLiteralType()) {
      return { type: typeof type.value, const: type.value };
    }
    if (type.flags & TypeFlags.String) {
      return ofName("string", name);
    }
    if (type.flags & TypeFlags.Number) {
      return ofName("integer", name);
    }
    if (type.flags & TypeFlags.Unknown) {
      return {};
    }
    if (type.flags & TypeFlags.NonPrimitive) {
      return { type: "object", propertyNames: { type: "string" }, additionalProperties: {} };
    }
    if (type.isTypeReference() && this.#checker.isArrayLikeType(type)) {
      return { type: "array", items: this.#read(this.#checker.getTypeArguments(type)[0] as Type, name) };
    }
    if (type.isObjectType() || type.isIntersectionType()) {
      return this.#readObject(type);
    }
    throw new Error(`${name}: no schema is known for ${this.#checker.typeToString(type)}`);
  }

  #readUnion(all: readonly Type[], name: string): JsonSchema {
    const types = all.filter(({ flags }) => !(flags & (TypeFlags.Null | TypeFlags.Undefined)));
    const schema = this.#readAlternatives(types, name);
    if (!all.some(({ flags }) => flags & TypeFlags.Null)) {
      return schema;
    }
    const isPlain = Object.keys(schema).join() === "type";
    return isPlain ? { type: [schema.type as string, "null"] } : { anyOf: [schema, NULL] };
  }

  #readAlternatives(types: readonly Type[], name: string): JsonSchema {
    const [first] = types;
    // Known words, and any other text.
    if (
      types.some((type) => type.isIntersectionType() && type.getTypes().some(({ flags }) => flags & TypeFlags.String))
    ) {
      return { type: "string" };
    }
    if (types.every((type) => type.isBooleanLiteralType())) {
      return { type: "boolean" };
    }
    if (first !== undefined && types.length === 1) {
      return this.#read(first, name);
    }
    if (types.every((type) => type.isStringLiteralType())) {
      return { type: "string", enum: types.map(({ value }) => value) };
    }
    return { oneOf: types.map((type) => this.#read(type, name)) };
  }

  #readObject(type: Type): JsonSchema {
    const fields = this.#checker.getPropertiesOfType(type);
    const [index] = this.#checker.getIndexInfosOfType(type);
    if (index !== undefined) {
      return {
        type: "object",
        propertyNames: { type: "string" },
        additionalProperties: this.#read(index.valueType, ""),
      };
    }
    return {
      type: "object",
      properties: Object.fromEntries(fields.map((field) => [field.name, this.#readField(field)])),
      required: fields.filter(({ flags }) => !(flags & SymbolFlags.Optional)).map(({ name }) => name),
    };
  }
}

/** A description says the unit of an instant in other words. */
const withoutUnit = (comment: string): string => comment.replaceAll(/(?:^|\. )Epoch ms(?=\.)|, epoch ms(?=[.,])/g, "");

function ofName(type: string, name: string): JsonSchema {
  const said = SAID_BY_NAMES.find((one) => one.type === type && one.name.test(name));
  return said === undefined ? { type } : { type, description: said.description };
}

/** Documents spell the noun with a c, and code with an s. Code in a comment stays as it is. */
function describe(comment: string): { readonly description?: string } {
  const description = comment
    .split("`")
    .map((text, place) => (place % 2 === 0 ? text.replaceAll(/\b([Ll])icense(?=s?\b)/g, "$1icence") : text))
    .join("`");
  return description === "" ? {} : { description };
}
