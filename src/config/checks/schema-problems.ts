/** Turns the schema's problems into plain messages: unknown keys with the nearest known one, wrong types in plain terms. */
import type { z } from "zod";
import { suggestKey } from "../../suggest-key.ts";
import { type ConfigPath, type ConfigProblem, invalid } from "../config-problem.ts";
import { pathKey } from "../files/interpolate-env.ts";
import { configSchema } from "../schema/config-schema.ts";
import type { TextIssueParams } from "../schema/text-formats.ts";
import { findCutValues } from "./cut-values.ts";
import { toSection } from "./loose-value.ts";
import { describeMissingPolicy } from "./policy-names.ts";

const MAX_QUOTED_CHARS = 60;
/** How zod begins a message for which the schema has none of its own. */
const UNSPECIFIC = "Invalid input";

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
  const cut = findCut(issues, value);
  const isCut = new Set(cut.problems.map(({ path }) => pathKey(path)));
  const others = issues.flatMap((issue) => {
    const path = toConfigPath(issue.path);
    if (isCut.has(pathKey(path))) {
      return [];
    }
    if (issue.code === "unrecognized_keys") {
      const known = knownKeysAt(path);
      return issue.keys
        .filter((key) => !cut.rests.has(pathKey([...path, key])))
        .map((key) => invalid([...path, key], `is not a known key; ${suggestKey(key, known)}`));
    }
    const given = valueAt(value, path);
    if (given === undefined && path.length === 3 && path[0] === "sites" && path[2] === "policy") {
      return [invalid(path, describeMissingPolicy(value))];
    }
    const quoted = typeof given === "string" && !fromEnv.has(pathKey(path)) ? quote(given) : null;
    return [invalid(path, describe(issue, given, quoted))];
  });
  return [...cut.problems, ...others];
}

function toConfigPath(path: readonly PropertyKey[]): ConfigPath {
  return path.map((part) => (typeof part === "number" ? part : String(part)));
}

/** Values that were cut at a comma, and the `pathKey`s of the keys that are their rests. */
function findCut(
  issues: readonly Issue[],
  value: unknown,
): { readonly problems: readonly ConfigProblem[]; readonly rests: ReadonlySet<string> } {
  const sections = issues.flatMap((issue) => {
    if (issue.code !== "unrecognized_keys") {
      return [];
    }
    const path = toConfigPath(issue.path);
    return [{ path, ...findCutValues(toSection(valueAt(value, path)), issue.keys) }];
  });
  return {
    problems: sections.flatMap(({ path, values }) =>
      values.map(({ key, message }) => invalid([...path, key], message)),
    ),
    rests: new Set(sections.flatMap(({ path, rests }) => [...rests].map((key) => pathKey([...path, key])))),
  };
}

/** @param quoted the given text, where it may be repeated */
function describe(issue: Issue, given: unknown, quoted: string | null): string {
  switch (issue.code) {
    case "invalid_type": {
      if (given !== undefined && !issue.message.startsWith(UNSPECIFIC)) {
        return issue.message;
      }
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
        : issue.minimum > 1
          ? `is too short: at least ${issue.minimum} characters`
          : "must not be empty";
    case "too_big":
      return issue.origin === "number" || issue.origin === "int"
        ? `must be at most ${issue.maximum}`
        : `is too long: at most ${issue.maximum}`;
    case "invalid_key":
      return issue.issues[0]?.message ?? "is not a valid name";
    case "invalid_union":
      return describeUnion(issue, given, quoted);
    case "custom":
      return describeCustom(issue.message, issue.params as TextIssueParams | undefined, quoted);
    default:
      return "is not valid";
  }
}

/** What is wrong with the value as the alternative of its own type. A value of another type has a message of its own. */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion, given: unknown, quoted: string | null): string {
  const alternative = issue.errors.find((issues) => !issues.some((one) => isOfOtherType(one, given)));
  const [first] = alternative ?? [];
  return first === undefined ? issue.message : describe(first, given, quoted);
}

function isOfOtherType(issue: Issue, given: unknown): boolean {
  return issue.code === "invalid_type" && typeof given !== (issue.expected === "int" ? "number" : issue.expected);
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
  if (def.type === "pipe") {
    return unwrap((def as z.core.$ZodPipeDef).in);
  }
  return "innerType" in def ? unwrap(def.innerType as z.core.$ZodType) : schema;
}
