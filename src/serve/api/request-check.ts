/** Checks the parts of a request by their schemas. An error names each wrong value, and for an unknown key the nearest known one. */
import type { FastifySchemaCompiler } from "fastify";
import { z } from "zod";
import { type ErrorDetails, LicetError } from "../../errors.ts";
import { suggestKey } from "../../suggest-key.ts";

type RequestProblem = NonNullable<ErrorDetails<"REQUEST_INVALID">["problems"]>[number];

/** Problems that one answer lists. A body of many wrong values must not make a long answer. */
const MAX_PROBLEMS = 20;
const MAX_KEY_CHARS = 80;

export const checkRequestPart: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart = "request" }) =>
  (data: unknown) => {
    // fastify gives null for a body that was not sent. An amount that cannot be read throws MONEY_INVALID.
    const result = schema.safeParse(data === null ? undefined : data);
    return result.success ? { value: result.data } : { error: refuse(httpPart, schema, result.error.issues) };
  };

function refuse(part: string, schema: z.ZodType, issues: readonly z.core.$ZodIssue[]): LicetError {
  const problems = issues.flatMap((issue) => toProblems(part, schema, issue)).slice(0, MAX_PROBLEMS);
  const said = problems.map(({ path, message }) => `${path === "" ? `the ${part}` : path} ${message}`);
  return new LicetError("REQUEST_INVALID", `the ${part} of the request is not valid: ${said.join("; ")}`, {
    hint: "GET /api/v1/openapi.json describes every request.",
    details: { problems },
  });
}

function toProblems(part: string, schema: z.ZodType, issue: z.core.$ZodIssue): RequestProblem[] {
  const path = describePath(issue.path);
  if (issue.code === "unrecognized_keys") {
    const known = issue.path.length === 0 ? keysOf(schema) : [];
    return issue.keys.map((key) => ({
      in: part,
      path: describePath([...issue.path, key]),
      message: known.length === 0 ? "is not a known key" : `is not a known key; ${suggestKey(shorten(key), known)}`,
    }));
  }
  // zod's messages do not repeat the value.
  return [{ in: part, path, message: `is wrong: ${issue.message}` }];
}

function keysOf(schema: z.ZodType): readonly string[] {
  const hasDefault = schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  const inner = hasDefault ? schema.def.innerType : schema;
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

function describePath(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === "number" ? `[${key}]` : `${index === 0 ? "" : "."}${shorten(String(key))}`))
    .join("");
}

const shorten = (key: string): string => (key.length > MAX_KEY_CHARS ? `${key.slice(0, MAX_KEY_CHARS)}…` : key);
