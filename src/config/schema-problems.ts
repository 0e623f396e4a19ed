/** Turns the schema's problems into plain messages: unknown keys with the nearest known one, wrong types in plain terms. */
import type { z } from "zod";
import { suggestKey } from "../suggest-key.ts";
import { type ConfigPath, type ConfigProblem, invalid } from "./config-problem.ts";
import { configSchema } from "./config-schema.ts";
import { pathKey } from "./interpolate-env.ts";
import type { TextIssueParams } from "./text-formats.ts";

const MAX_QUOTED_CHARS = 60;

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "a section with keys",
  record: "a section with keys",
  array: "a list",
};

type Issue = z.core.$ZodIssue;

/**
 * @param value the value that was checked
 * @param fromEnv `pathKey`s of texts that must not be repeated
 */
export function toSchemaProblems(
  issues: readonly Issue[],
  value: unknown,
  fromEnv: ReadonlySet<string>,
): ConfigProblem[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
    if (issue.code === "unrecognized_keys") {
      const known = knownKeysAt(path);
      return issue.keys.map((key) => invalid([...path, key], `is not a known key; ${suggestKey(key, known)}`));
    }
    const given = valueAt(value, path);
    const quoted = typeof given === "string" && !fromEnv.has(pathKey(path)) ? quote(given) : null;
    return [invalid(path, describe(issue, given, quoted))];
  });
}

/** @param quoted the given text, where it may be repeated */
function describe(issue: Issue, given: unknown, quoted: string | null): string {
  switch (issue.code) {
    case "invalid_type": {
      const wanted = TYPE_NAMES[issue.expected] ?? issue.expected;
      if (given === undefined) {
        return `is missing: it must be ${wanted}`;
      }
      const isScalar = typeof given === "number" || typeof given === "boolean";
      const advice = issue.expected === "string" && isScalar ? "; put it in quotes" : "";
      return `must be ${wanted}, but is ${nameType(given)}${advice}`;
    }
    case "invalid_value": {
      const values = issue.values.map(String);
      if (given === undefined) {
        return `is missing: it must be one of ${values.join(", ")}`;
      }
      const start = quoted === null ? "is none" : `${quoted} is none`;
      const advice = quoted === null ? "" : `; ${suggestKey(String(given), values)}`;
      return `${start} of ${values.join(", ")}${advice.includes("known here") ? "" : advice}`;
    }
    case "too_small":
      return issue.origin === "number" || issue.origin === "int"
        ? `must be ${issue.inclusive ? "at least" : "more than"} ${issue.minimum}`
        : "must not be empty";
    case "too_big":
      return issue.origin === "number" || issue.origin === "int"
        ? `must be at most ${issue.maximum}`
        : `is too long: at most ${issue.maximum}`;
    case "invalid_key":
      return issue.issues[0]?.message ?? "is not a valid name";
    case "custom":
      return describeCustom(issue.message, issue.params as TextIssueParams | undefined, quoted);
    default:
      return "is not valid";
  }
}

function describeCustom(message: string, params: TextIssueParams | undefined, quoted: string | null): string {
  if (params === undefined || quoted === null) {
    return message;
  }
  return `${params.quotable ? `${quoted} ` : ""}${message}${params.detail}`;
}

function quote(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED_CHARS ? `${text.slice(0, MAX_QUOTED_CHARS)}…` : text);
}

function nameType(value: unknown): string {
  if (value === null) {
    return "empty";
  }
  if (Array.isArray(value)) {
    return "a list";
  }
  if (typeof value === "number") {
    return Number.isInteger(value) ? "a whole number" : "a number";
  }
  return TYPE_NAMES[typeof value] ?? `a ${typeof value}`;
}

function valueAt(value: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>(
    (part, key) =>
      typeof part === "object" && part !== null && Object.hasOwn(part, key)
        ? (part as Record<string | number, unknown>)[key]
        : undefined,
    value,
  );
}

/** The keys that the schema knows at a path. */
function knownKeysAt(path: ConfigPath): readonly string[] {
  let schema = unwrap(configSchema);
  for (const part of path) {
    const { def } = schema._zod;
    if (def.type === "object") {
      const next = (def as z.core.$ZodObjectDef).shape[part];
      if (next === undefined) {
        return [];
      }
      schema = unwrap(next);
    } else if (def.type === "array") {
      schema = unwrap((def as z.core.$ZodArrayDef).element);
    } else if (def.type === "record") {
      schema = unwrap((def as z.core.$ZodRecordDef).valueType);
    } else {
      return [];
    }
  }
  const { def } = schema._zod;
  return def.type === "object" ? Object.keys((def as z.core.$ZodObjectDef).shape) : [];
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod;
  return "innerType" in def ? unwrap(def.innerType as z.core.$ZodType) : schema;
}
