/** Parts of requests, made from what the calls of the agent take (agent/calls). */
import { z } from "zod";
import { count, type Field, runId } from "../../agent/calls/fields.ts";

export const runParams = z.strictObject({ id: runId.schema.describe("A run's id.") });

/** Ids are numbers; in an address they are digits. */
export const rowParams = (what: string) => z.strictObject({ id: fromText(count.schema).describe(what) });

type Input = Readonly<Record<string, Field>>;
/** A value that only a program can give has no schema, so no request may name it. */
type Nameable<Given extends Input> = {
  [Name in keyof Given]: Given[Name]["schema"] extends z.ZodType ? Name : never;
}[keyof Given];
type Optional<Given extends Field> =
  Given extends Field<infer Schema extends z.ZodType> ? z.ZodOptional<Schema> : never;

type Shape<Given extends Input> = { [Name in Nameable<Given>]: Optional<Given[Name]> };

/** The options of a call, as the keys of a body. */
export const inBody = <Given extends Input>(input: Given): Shape<Given> => toShape(input, (schema) => schema);
/** The options of a call, as the keys of a query, which has texts alone. */
export const inQuery = <Given extends Input>(input: Given): Shape<Given> => toShape(input, fromText);

function toShape<Given extends Input>(input: Given, read: (schema: z.ZodType) => z.ZodType): Shape<Given> {
  const shape = Object.entries(input).flatMap(([name, { schema }]) =>
    schema === null ? [] : [[name, read(schema).optional()]],
  );
  return Object.fromEntries(shape) as Shape<Given>;
}

const FLAGS = new Map<unknown, boolean>([
  ["true", true],
  ["false", false],
]);

/** The same values, read from the texts that an address has. */
function fromText<Schema extends z.ZodType>(schema: Schema): Schema {
  const value = schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  const read = (from: (text: unknown) => unknown) => z.preprocess(from, schema) as unknown as Schema;
  if (value instanceof z.ZodNumber) {
    return read((text) => (typeof text === "string" ? Number(text) : text));
  }
  return value instanceof z.ZodBoolean ? read((text) => FLAGS.get(text) ?? text) : schema;
}

/** Rows of one answer. A request has a bound that a program does not need. */
export const rows = (most: number, usual: number) => fromText(count.schema.max(most).default(usual));
/** Off unless it is `true`. */
export const flagInQuery = () => fromText(z.boolean().default(false));
