/** The rules for Prometheus and the dashboard for Grafana name only metrics and labels that `/metrics` has, and runbooks that are there. */
import { readFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { createServiceWorld } from "../../../doubles/service-world.ts";

/** Labels that Prometheus adds, and that a histogram has in its buckets. */
const ADDED_LABELS = ["job", "instance", "le"];
const ADDED_METRICS = ["up"];
const HISTOGRAM_PARTS = ["_bucket", "_sum", "_count"];

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels?: { readonly severity?: string };
  readonly annotations?: { readonly summary?: string; readonly runbook?: string };
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const rules = (
  parse(readFileSync("config/deploy/prometheus/licet.rules.yml", "utf8")) as { groups: { rules: Rule[] }[] }
).groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(readFileSync("config/deploy/grafana/licet-dashboard.json", "utf8")) as { panels: Panel[] };
const queries = dashboard.panels.flatMap(({ targets = [] }) => targets);

/** What the documents say of labels: the table of docs/service-reference.md, which another test holds against `/metrics`. */
function readLabels(): ReadonlyMap<string, readonly string[]> {
  const rows = readFileSync("docs/service-reference.md", "utf8").matchAll(/^\| `(licet_\w+)` \|([^|]*)\|/gm);
  return new Map([...rows].map(([, name = "", labels = ""]) => [name, labels.split(",").map((label) => label.trim())]));
}

/** `licet_pages_total{outcome="bought"}`: the names and what is asked of their labels. */
function findSelectors(expr: string): { readonly name: string; readonly labels: readonly string[] }[] {
  return [...expr.matchAll(/\b(licet_\w+|process_\w+|nodejs_\w+|up)\b(?:\{([^}]*)\})?/g)].map(
    ([, name = "", matchers = ""]) => {
      const part = HISTOGRAM_PARTS.find((suffix) => name.startsWith("licet_") && name.endsWith(suffix)) ?? "";
      const labels = [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = ""]) => label);
      return { name: name.slice(0, name.length - part.length), labels };
    },
  );
}

it("each rule and each panel names metrics that are there, with labels that they have", async () => {
  const world = await createServiceWorld({
    sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 1, bodyBytes: 100 }] },
    config: { sites: [{ host: "news.example", policy: "standard" }] },
  });
  onTestFinished(() => world.close());
  const { text } = await world.call("GET", "/metrics");
  const names = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = ""]) => name));
  const labelsOf = readLabels();
  const faults = [...rules.map(({ expr }) => expr), ...queries.map(({ expr }) => expr)].flatMap((expr) =>
    findSelectors(expr).flatMap(({ name, labels }) => [
      ...(names.has(name) || ADDED_METRICS.includes(name) ? [] : [`${name} is not a metric`]),
      ...labels
        .filter((label) => !ADDED_LABELS.includes(label) && labelsOf.get(name)?.includes(label) !== true)
        .map((label) => `${name} has no label ${label}`),
    ]),
  );
  expect(faults).toEqual([]);
});

it("each metric of licet is in the dashboard or in a rule", () => {
  const used = new Set([...rules, ...queries].flatMap(({ expr }) => findSelectors(expr).map(({ name }) => name)));
  const unused = [...readLabels().keys()].filter((name) => !used.has(name));
  // How many pages were seen is the sum of the outcomes; the time of a slot is in licet_schedule_overdue_seconds; the log says what of slots lies ahead.
  expect(unused).toEqual([
    "licet_pages_seen_total",
    "licet_in_doubt_oldest_age_seconds",
    "licet_budget_settled_micros",
    "licet_budget_in_doubt_micros",
    "licet_budget_reserved_micros",
    "licet_slots_ahead",
    "licet_schedule_last_slot_timestamp_seconds",
  ]);
});

it("each rule has a name of its own, a severity, a summary and a runbook that exists", () => {
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  const anchors = new Set(
    [...readFileSync("docs/operations.md", "utf8").matchAll(/^#{2,3} (.+)$/gm)].map(
      ([, heading = ""]) => `docs/operations.md#${heading.toLowerCase().replaceAll(" ", "-")}`,
    ),
  );
  const faults = rules.flatMap(({ alert, labels, annotations }) => [
    ...(/^Licet[A-Z]/.test(alert) ? [] : [`${alert}: its name`]),
    ...(["warning", "critical"].includes(labels?.severity ?? "") ? [] : [`${alert}: its severity`]),
    ...((annotations?.summary ?? "").endsWith(".") ? [] : [`${alert}: its summary`]),
    ...(anchors.has(annotations?.runbook ?? "") ? [] : [`${alert}: its runbook ${annotations?.runbook}`]),
  ]);
  expect(faults).toEqual([]);
});

it("each panel has a title and its queries have legends", () => {
  expect(dashboard.panels.filter(({ title }) => title === "")).toEqual([]);
  expect(queries.filter(({ legendFormat }) => legendFormat === "")).toEqual([]);
  expect(queries.length).toBeGreaterThan(30);
});
