/** Decision 0101: in all that is printed or served, a cost has one shape. Both documents are generated from the types of the answers. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

const { paths, components } = JSON.parse(readFileSync("docs/openapi.json", "utf8"));
const REFERENCE = readFileSync("docs/reference.md", "utf8");
const EVENTS = /^export interface AgentEvents \{$.*?^\}$/ms.exec(
  readFileSync("test/golden/public-api.md", "utf8"),
)?.[0];

/** Each field of the types that the calls take and answer: its path, and its type. */
const FIELDS = [...REFERENCE.matchAll(/^\| `([^`]+)` \| `([^`]+)` \|/gm)].map(([, name = "", type = ""]) => ({
  name,
  type,
}));

describe("a cost", () => {
  test("is never an object of its own in an answer of a call, nor in an event", () => {
    expect(FIELDS.length).toBeGreaterThan(500);
    expect(FIELDS.filter(({ type }) => /\bMoney\b/.test(type))).toEqual([]);
    expect(EVENTS).toContain("page.bought");
    expect(EVENTS).not.toMatch(/\bMoney\b/);
  });

  test("is a whole number, under a name that says what it is and ends in Micros; or such numbers by currency", () => {
    const costs = FIELDS.filter(({ name, type }) => /micros$/i.test(name) || /\bMicros\b/.test(type));
    expect(costs.length).toBeGreaterThan(50);
    const isCost = ({ name, type }: (typeof costs)[number]) =>
      /[a-z]Micros$/.test(name) && /^(?:(?:Micros|number)(?: \\\| null)?|Record<string, Micros>)$/.test(type);
    expect(costs.filter((field) => !isCost(field) && field.name !== "micros")).toEqual([]);
  });

  test("has its currency beside it, around it, or as its key", () => {
    const without: string[] = [];
    const seen = new Set<string>();
    const look = (schema: Schema, path: string, isKnown: boolean) => {
      const { $ref, properties = {}, additionalProperties, items, anyOf = [], oneOf = [] } = schema;
      if ($ref !== undefined) {
        const name = $ref.split("/").at(-1) ?? "";
        if (!seen.has(`${name} ${isKnown}`)) {
          seen.add(`${name} ${isKnown}`);
          look(components.schemas[name], name, isKnown);
        }
        return;
      }
      const named = isKnown || [properties, properties.budget?.properties].some((own) => own?.currency);
      for (const [name, inner] of Object.entries(properties)) {
        if (/micros/i.test(name) && inner.additionalProperties === undefined && !named) {
          without.push(`${path}.${name}`);
        }
        look(inner, `${path}.${name}`, named);
      }
      if (additionalProperties !== undefined) {
        look(additionalProperties, `${path}.<name>`, true);
      }
      for (const inner of [...(items === undefined ? [] : [items]), ...anyOf, ...oneOf]) {
        look(inner, path, named);
      }
    };
    for (const operations of Object.values<Record<string, { responses: object }>>(paths)) {
      for (const { responses } of Object.values(operations)) {
        for (const { content } of Object.values<{ content?: Record<string, { schema: Schema }> }>(responses as never)) {
          look(content?.["application/json"]?.schema ?? {}, "answer", false);
        }
      }
    }
    expect(seen.size).toBeGreaterThan(40);
    expect(without).toEqual([]);
  });
});
