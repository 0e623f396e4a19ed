import { parse } from "yaml";

/** A Markdown text, and the plain fields before it. */
export interface FrontMatter {
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
}

const FENCE = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n?^---[ \t]*(?:\r?\n|$)/m;

/** Reads the YAML between two `---` lines at the very beginning. If they do not contain a YAML object, they are part of the text. */
export function parseFrontMatter(text: string): FrontMatter {
  const match = FENCE.exec(text);
  if (match === null || match.index !== 0) {
    return { fields: {}, body: text };
  }
  let data: unknown;
  try {
    // `core`: dates stay as they are written.
    data = parse(match[1] ?? "", { schema: "core" });
  } catch {
    return { fields: {}, body: text };
  }
  if (typeof data !== "object" || data === null || Array.isArray(data)) {
    return { fields: {}, body: text };
  }
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(data)) {
    if (typeof value === "string" || typeof value === "number") {
      fields[name] = String(value);
    }
  }
  return { fields, body: text.slice(match[0].length) };
}
