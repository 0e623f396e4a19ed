/** The names of each code's details, read from `src/error-details.ts`: a name that is there only when it is known ends in `?`. */
const SHAPE = /^export interface (\w+)(?: extends (\w+))? \{\n([\s\S]*?)^\}/gm;
const ENTRY = /^ {2}readonly ([A-Z_]+):([\s\S]*?);\n(?= {2}(?:readonly|\/\*\*)|$)/gm;
const NAMED = /Partial<\w+>|\b\w+Details\b/g;
const FIELD = /readonly (\w+\??):/g;

export interface ErrorDetailNames {
  /** By code. `the call` stands for the details of a call to the gateway. */
  readonly byCode: Readonly<Record<string, readonly string[]>>;
  readonly ofCalls: readonly string[];
}

export function readErrorDetails(source: string): ErrorDetailNames {
  const shapes = new Map([...source.matchAll(SHAPE)].map(([, name = "", base, body = ""]) => [name, { base, body }]));
  const namesOfShape = (name: string): readonly string[] => {
    const shape = shapes.get(name);
    if (name === "GatewayCallDetails") {
      return ["the call"];
    }
    return shape === undefined ? [] : [...namesOfShape(shape.base ?? ""), ...fieldsOf(shape.body)];
  };
  const namesOf = (type: string) => [
    ...(type.match(NAMED) ?? []).flatMap((part) => {
      const [, optional] = /^Partial<(\w+)>$/.exec(part) ?? [];
      return optional === undefined ? namesOfShape(part) : namesOfShape(optional).map((name) => `${name}?`);
    }),
    ...fieldsOf(type),
  ];
  const table = `${shapes.get("ErrorDetailsByCode")?.body}\n`;
  return {
    byCode: Object.fromEntries([...table.matchAll(ENTRY)].map(([, code = "", type = ""]) => [code, namesOf(type)])),
    ofCalls: fieldsOf(shapes.get("GatewayCallDetails")?.body ?? ""),
  };
}

function fieldsOf(text: string): string[] {
  return [...text.matchAll(FIELD)].map(([, field = ""]) => field);
}
