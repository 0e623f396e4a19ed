/** Calls the interface as its document says: what does not fit the schema of an answer fails the test. */
import { request } from "node:http";
import { expect } from "vitest";
import { z } from "zod";
import openApi from "../../../../docs/openapi.json" with { type: "json" };
import type { Answers } from "../../../../src/serve/api/answers.ts";
import type { Answer, CallOptions, ServiceWorld } from "../../../doubles/service-world.ts";

export const TOKEN = "the-token-of-this-service";
export const BEARER = { authorization: `Bearer ${TOKEN}` };

export interface ApiClient {
  get<Name extends keyof Answers>(path: string, name: Name): Promise<Answers[Name]>;
  /** With the token. */
  post<Name extends keyof Answers>(path: string, name: Name, body?: unknown): Promise<Answers[Name]>;
  /** @returns the problem, with its status */
  refused(
    method: string,
    path: string,
    options?: CallOptions,
  ): Promise<{ status: number; code: string; detail: string }>;
}

export function createApiClient(world: ServiceWorld): ApiClient {
  const call = (method: string, path: string, options?: CallOptions) =>
    world.call(method, `/api/v1${path}`, { ...options, headers: { ...BEARER, ...options?.headers } });
  return {
    get: async (path, name) => fitting(await call("GET", path), name),
    post: async (path, name, body) => fitting(await call("POST", path, { body }), name),
    refused: async (method, path, options) => {
      const answer = await call(method, path, options);
      expect(answer.headers["content-type"]).toMatch(/^application\/problem\+json/);
      const { status, code, detail } = assertFits("Problem", answer.json);
      expect(answer.status).toBe(status);
      return { status, code, detail };
    },
  };
}

/** The schemas of the document, and no key that they do not have. */
const $defs = JSON.parse(JSON.stringify(openApi.components.schemas), (_key, value) =>
  value?.properties === undefined || value.type !== "object"
    ? value?.$ref === undefined
      ? value
      : { $ref: value.$ref.replace("#/components/schemas/", "#/$defs/") }
    : { ...value, additionalProperties: false },
);

/** @returns the value, which fits */
export function assertFits<Name extends keyof Answers>(name: Name, value: unknown): Answers[Name] {
  z.fromJSONSchema({ $defs, $ref: `#/$defs/${name}` }).parse(value);
  return value as Answers[Name];
}

function fitting<Name extends keyof Answers>(answer: Answer, name: Name): Answers[Name] {
  expect(answer.text).not.toContain('"code":');
  expect(answer.status).toBeLessThan(300);
  expect(answer.headers["content-type"]).toMatch(/^application\/json/);
  return assertFits(name, answer.json);
}

export interface SentEvent {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: each event has its own fields
  readonly data: any;
}

export interface Followed {
  readonly events: AsyncIterator<SentEvent>;
  /** All events up to the end of the stream. */
  all(): Promise<SentEvent[]>;
  leave(): void;
}

/** Follows a run as an EventSource does. */
export function follow(world: ServiceWorld, runId: string, lastEventId?: string): Promise<Followed> {
  const headers = { ...BEARER, ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }) };
  return new Promise((resolve, reject) => {
    const sent = request(`${world.service.url}/api/v1/runs/${runId}/events`, { headers, agent: false }, (answer) => {
      expect(answer.statusCode).toBe(200);
      expect(answer.headers).toMatchObject({
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
      });
      const events = readEvents(answer.setEncoding("utf8"));
      resolve({ events, all: () => collect(events), leave: () => sent.destroy() });
    });
    sent.on("error", reject);
    sent.end();
  });
}

async function collect(events: AsyncIterable<SentEvent>): Promise<SentEvent[]> {
  const all: SentEvent[] = [];
  for await (const event of events) {
    all.push(event);
  }
  return all;
}

async function* readEvents(chunks: AsyncIterable<string>): AsyncGenerator<SentEvent> {
  let text = "";
  for await (const chunk of chunks) {
    text += chunk;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? "";
      if (lines.every((line) => !line.startsWith(":"))) {
        yield { id: field("id"), event: field("event"), data: JSON.parse(field("data")) };
      }
    }
  }
}
