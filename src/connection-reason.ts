/** Why there is no connection, or no answer on it: by the code of the system or of TLS, or by what a client says of it. */

export interface Schemes {
  readonly plain: string;
  readonly tls: string;
}

const REASONS: readonly (readonly [finds: RegExp, why: string | ((schemes: Schemes) => string)])[] = [
  [/ECONNREFUSED/, "nobody listens there"],
  [/ENOTFOUND|EAI_AGAIN/, "the name of the host is not known"],
  [/EHOSTUNREACH|ENETUNREACH/, "there is no way to the host"],
  [/CERT|self-signed|UNABLE_TO_VERIFY/i, "its certificate is not trusted (NODE_EXTRA_CA_CERTS) or is of another host"],
  [
    /EPROTO|ERR_SSL_|wrong version number|SSL routines/i,
    ({ plain, tls }) => `one side speaks TLS and the other does not (${plain} or ${tls})`,
  ],
  [/TIMED ?OUT|TIMEOUT|no answer/i, "no answer came in time"],
];

/**
 * @param said the code, the message, or both
 * @param schemes of an address with and without TLS
 * @returns the end of a sentence. Null: it is none of these
 */
export function findConnectionReason(said: string, schemes: Schemes): string | null {
  const why = REASONS.find(([finds]) => finds.test(said))?.[1] ?? null;
  return typeof why === "function" ? why(schemes) : why;
}
