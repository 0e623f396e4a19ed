/**
 * JSON Schemas of types, with their comments as descriptions.
 *
 * Every number of ours is whole. A name tells an instant from a count. A text with the tag `@format` has that format.
 */
import { type Symbol as Named, SymbolFlags, type Type, TypeFlags } from "typescript/unstable/sync";
import { INSTANT_NAME } from "../src/printed-json.ts";
import type { Types } from "./compiler.ts";

export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly const?: unknown;
  readonly default?: unknown;
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
  { type: "string", name: /^currency$/, description: "A currency code, such as USD." },
  { type: "string", name: /^runId$/, description: "A run's id, such as run_0mi5c2k1x8f3a2b4c5d6." },
];
const NULL: JsonSchema = { type: "null" };

/** @returns a schema for each field of a type, by their names. Where one of them has another's type, it refers to it */
export function readSchemas(types: Types, type: Type): Readonly<Record<string, JsonSchema>> {
  return new Reader(types, types.fieldsOf(type)).readSchemas();
}

class Reader {
  readonly #types: Types;
  readonly #fields: readonly Named[];
  /** By the id of their type. */
  readonly #names: ReadonlyMap<number, string>;

  constructor(types: Types, fields: readonly Named[]) {
    this.#types = types;
    this.#fields = fields;
    this.#names = new Map(fields.map((field) => [types.typeOf(field).id, field.name]));
  }

  readSchemas(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries(
      this.#fields.map((field) => {
        const type = this.#types.typeOf(field);
        const comment = this.#types.commentOf(type.getAliasSymbol() ?? type.getSymbol());
        return [field.name, { ...this.#readObject(type), ...describe(comment) }];
      }),
    );
  }

  #readField(field: Named): JsonSchema {
    const schema = this.#read(this.#types.typeOf(field), field.name);
    const comment =
      schema.description === undefined ? this.#types.commentOf(field) : withoutUnit(this.#types.commentOf(field));
    const format = this.#types.tagOf(field, "format");
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
    if (type.isTypeReference() && this.#types.checker.isArrayLikeType(type)) {
      return { type: "array", items: this.#read(this.#types.checker.getTypeArguments(type)[0] as Type, name) };
    }
    if (type.isObjectType() || type.isIntersectionType()) {
      return this.#readObject(type);
    }
    throw new Error(`${name}: no schema is known for ${this.#types.checker.typeToString(type)}`);
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
    const fields = this.#types.fieldsOf(type);
    const [index] = this.#types.checker.getIndexInfosOfType(type);
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

/** Everything else is counted, or in units that are small enough. */
const RATE_NAME = /PerSecond$/;

function ofName(type: string, name: string): JsonSchema {
  if (type === "integer" && INSTANT_NAME.test(name)) {
    return { type: "string", format: "date-time", description: "ISO 8601, UTC." };
  }
  if (type === "integer" && RATE_NAME.test(name)) {
    return { type: "number" };
  }
  const said = SAID_BY_NAMES.find((one) => one.type === type && one.name.test(name));
  return said === undefined ? { type } : { type, description: said.description };
}

const describe = (description: string): { readonly description?: string } =>
  description === "" ? {} : { description };
