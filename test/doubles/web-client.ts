/** A browser without a script: looks at pages of a service, sends forms, and has the cookie that it is given. */
import { expect } from "vitest";
import type { Answer, ServiceWorld } from "./service-world.ts";

export const PAGE = { accept: "text/html" };
const FORM = { ...PAGE, "content-type": "application/x-www-form-urlencoded" };

type Headers = Readonly<Record<string, string>>;

/** @param world asked for with each request, since a test opens it before its first one */
export function createWebClient(world: () => Pick<ServiceWorld, "call">) {
  const look = (path: string, headers: Headers = {}) => world().call("GET", path, { headers: { ...PAGE, ...headers } });
  const send = (path: string, fields: Readonly<Record<string, string>>, headers: Headers = {}) =>
    world().call("POST", path, { body: String(new URLSearchParams(fields)), headers: { ...FORM, ...headers } });
  return {
    look,
    send,
    /** @returns the cookie of a session */
    logIn: async (token: string) => cookieOf(await send("/login", { token })),
    /** A page that is there. @returns its HTML */
    async read(path: string): Promise<string> {
      const page = await look(path);
      expect(page.status, path).toBe(200);
      return page.text;
    },
  };
}

export const cookieOf = ({ headers }: Answer): string => (headers["set-cookie"]?.[0] ?? "").split(";")[0] ?? "";

/** The value of a hidden field of a page's form. */
export const hidden = ({ text }: Pick<Answer, "text">, name: string): string =>
  new RegExp(`name="${name}" value="([^"]+)"`).exec(text)?.[1] ?? "";
