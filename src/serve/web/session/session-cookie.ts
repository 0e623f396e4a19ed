/** The cookie of a session: what a browser is told about it, and how it comes back. */
import type { FastifyRequest } from "fastify";
import { SESSION_MS } from "./session.ts";

const SECOND_MS = 1000;

/** Over TLS, `__Host-` keeps other hosts of the same domain, and pages without TLS, from setting it. */
const nameOf = ({ protocol }: FastifyRequest) => (protocol === "https" ? "__Host-licet" : "licet");

/** Null: none was sent, or more than one, of which one was not set by this service. */
export function readCookie(request: FastifyRequest): string | null {
  const prefix = `${nameOf(request)}=`;
  const found = (request.headers.cookie ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix));
  return found.length === 1 ? (found[0] ?? "").slice(prefix.length) : null;
}

/** @param value empty: the browser forgets it */
export function toSetCookie(request: FastifyRequest, value: string): string {
  const maxAge = value === "" ? 0 : SESSION_MS / SECOND_MS;
  const secure = request.protocol === "https" ? "; Secure" : "";
  return `${nameOf(request)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`;
}
