/** docs/service-reference.md: the addresses, as docs/openapi.json describes them, and the metrics, as their rows declare them. */
import { COUNTED_METRICS } from "../src/serve/metrics/counted-metrics.ts";
import { LEDGER_METRICS } from "../src/serve/metrics/ledger-metrics.ts";
import { readRow } from "../src/serve/metrics/metric.ts";
import { PROCESS_METRICS } from "../src/serve/metrics/process-metrics.ts";
import { WORKER_METRICS } from "../src/serve/metrics/worker-metrics.ts";

const INTRODUCTION = `# Addresses and metrics of the service

<!-- Generated from the operations and the metrics by \`npm run schema:generate\`. Do not edit. -->

[service.md](service.md) says who may ask, and how to read both.
`;

interface Described {
  readonly summary: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly schema: { readonly properties?: object; readonly required?: readonly string[] } }>
    >;
  };
  readonly responses: object;
}

/** @param openApi the text of docs/openapi.json */
export function renderServiceReference(openApi: string): string {
  const { paths } = JSON.parse(openApi) as { paths: Record<string, Record<string, Described>> };
  const addresses = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const [status] = Object.keys(operation.responses);
      return `| \`${method.toUpperCase()} ${path}\` | ${listAsked(operation)} | ${status} | ${operation.summary} |`;
    }),
  );
  const rows = { ...LEDGER_METRICS, ...COUNTED_METRICS, ...PROCESS_METRICS, ...WORKER_METRICS };
  const metrics = Object.entries(rows).map(([row, told]) => {
    const { name, labelNames } = readRow(row);
    return `| \`${name}\` | ${labelNames.join(", ")} | ${typeof told === "string" ? told : told[0]} |`;
  });
  return [
    INTRODUCTION,
    "## Addresses\n",
    "A name with `?` may be left out.\n",
    "| request | takes | status | does |\n|---|---|---|---|",
    ...addresses,
    "\n## Metrics\n",
    "| metric | labels | meaning |\n|---|---|---|",
    ...metrics,
    "",
  ].join("\n");
}

/** What a request takes beside what its path names, in the query, a header or the body. */
function listAsked({ parameters = [], requestBody }: Described): string {
  const { properties = {}, required = [] } = requestBody?.content["application/json"]?.schema ?? {};
  const asked = [
    ...parameters.filter((one) => one.in !== "path").map((one) => ({ ...one, required: one.required === true })),
    ...Object.keys(properties).map((name) => ({ name, required: required.includes(name) })),
  ];
  return asked.map((one) => `\`${one.name}${one.required ? "" : "?"}\``).join(" ");
}
