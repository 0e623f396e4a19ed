/** The configuration as the service has it, and what is wrong with it. */
import type { CheckFinding } from "../../../agent/checks/check-report.ts";
import type { Setting } from "../../../config/settings.ts";
import { commandLine } from "../command-line.ts";
import { html } from "../html/html.ts";
import { section, table } from "../html/tables.ts";
import { badge, NONE } from "../html/values.ts";
import { definePage } from "../page.ts";

const TONES = { ok: "good", warning: "caution", failed: "bad" } as const;

export const settingsPage = definePage({
  path: "/settings",
  menu: { group: "Service", name: "Settings" },
  title: "Settings",
  command: commandLine(["check"], { offline: true }),
  read: (reports) => reports.check({ offline: true }),
  body: ({ ok, checks, settings }) => html`
<p>The configuration that this service started with, with every default filled in. Secrets are not shown. To change a value, edit the file and
start the service again.</p>
${section(
  "Checks",
  html`<p>${ok ? "Nothing is wrong with the configuration by itself." : "Something is wrong with the configuration."}
<code>licet check</code> also tries gateway, queue and ledger.</p>
${table<CheckFinding>({
  caption: "What was checked",
  columns: [
    { title: "Check", cell: ({ name }) => name },
    { title: "Result", cell: ({ level }) => badge(level, TONES[level]) },
    { title: "Detail", cell: ({ detail, hint }) => html`${detail}${hint !== null && html`<br>${hint}`}` },
  ],
  rows: checks,
  empty: "Nothing was checked.",
})}`,
)}
${[...new Set(settings.map((setting) => setting.section))].map((name) => section(name, settingTable(name, settings)))}`,
});

const settingTable = (name: string, settings: readonly Setting[]) =>
  table({
    caption: `Values of ${name}`,
    columns: [
      { title: "Key", cell: (setting) => setting.name },
      { title: "Value", cell: ({ value }) => (value === null ? html`${NONE} not set` : value) },
    ],
    rows: settings.filter((setting) => setting.section === name),
    empty: "Nothing is set.",
  });
