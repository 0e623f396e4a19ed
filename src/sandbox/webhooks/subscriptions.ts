import { z } from "zod";
import type { WebhookSubscription } from "../options.ts";

const subscriptionSchema = z.strictObject({
  id: z.string().min(1).optional(),
  url: z.string().regex(/^https?:\/\/./, "must begin with http:// or https://"),
  secret: z.string().min(1),
  hosts: z.array(z.string().min(1)).optional(),
  encoding: z.enum(["hex", "base64"]).optional(),
  prefix: z.string().optional(),
});

/** A subscription as the control endpoint shows it: without its secret. */
export type ShownSubscription = Omit<WebhookSubscription, "secret">;

/** A subscription whose id may be left out. */
export type GivenSubscription = Omit<WebhookSubscription, "id"> & { readonly id?: string };

/** @throws Error naming each field that is wrong */
export function parseSubscription(value: unknown): GivenSubscription {
  const checked = subscriptionSchema.safeParse(value);
  if (!checked.success) {
    throw new Error(`subscription:\n${z.prettifyError(checked.error)}`);
  }
  return checked.data as GivenSubscription;
}

const FIELDS = ["id", "url", "secret", "hosts", "encoding", "prefix"] as const;
const FIELD_START = new RegExp(`,(?=(?:${FIELDS.join("|")})=)`);

/**
 * Reads a command line's `--webhook`: `url=http://127.0.0.1:8403/webhooks/main,secret=s3cret`, and `id`, `hosts` (separated by `+`),
 * `encoding`, `prefix`. A comma within a value is a part of it.
 *
 * @throws Error that says what is wrong.
 */
export function parseWebhookArgument(text: string): GivenSubscription {
  const fields: Record<string, unknown> = {};
  for (const part of text.trim().split(FIELD_START)) {
    const separator = part.indexOf("=");
    const name = part.slice(0, Math.max(0, separator)).trim();
    if (!FIELDS.some((known) => known === name)) {
      throw new Error(
        `webhook "${name === "" ? "without =" : name}": write url=…,secret=…; the fields are ${FIELDS.join(", ")}`,
      );
    }
    if (Object.hasOwn(fields, name)) {
      throw new Error(`webhook: ${name} is given twice`);
    }
    const value = part.slice(separator + 1);
    fields[name] = name === "hosts" ? value.split("+") : value;
  }
  return parseSubscription(fields);
}

/** Who is notified. */
export class Subscriptions {
  readonly #byId = new Map<string, WebhookSubscription>();
  #named = 0;

  constructor(given: readonly GivenSubscription[]) {
    for (const subscription of given) {
      this.add(subscription);
    }
  }

  /** Without an id it gets one. @returns the id @throws Error when the id is taken */
  add(given: GivenSubscription): string {
    const id = given.id ?? this.#freeId();
    if (this.#byId.has(id)) {
      throw new Error(`the subscription ${id} exists already: remove it, or give another id`);
    }
    this.#byId.set(id, { ...given, id });
    return id;
  }

  /** @throws Error when there is none with this id */
  remove(id: string): void {
    if (!this.#byId.delete(id)) {
      throw new Error(`there is no subscription ${id}; there are ${[...this.#byId.keys()].join(", ") || "none"}`);
    }
  }

  /** Those that are notified of the pages of a host. */
  of(host: string): WebhookSubscription[] {
    return [...this.#byId.values()].filter(({ hosts }) => hosts === undefined || hosts.includes(host));
  }

  /** Without the secrets. */
  list(): ShownSubscription[] {
    return [...this.#byId.values()].map(({ secret: _secret, ...shown }) => shown);
  }

  #freeId(): string {
    do {
      this.#named += 1;
    } while (this.#byId.has(`webhook-${this.#named}`));
    return `webhook-${this.#named}`;
  }
}
