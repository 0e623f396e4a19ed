/** Decisions as every page lists them: who decided what, and why. */
import type { Act } from "../../../ledger/act-ledger.ts";
import { type Html, html } from "./html.ts";
import { type Column, type Table, table } from "./tables.ts";
import { foreign, instant } from "./values.ts";

interface ActTable extends Pick<Table<Act>, "caption" | "rows" | "empty" | "next"> {
  /** What each decision is about. Absent where all are about the same. */
  readonly subject?: Column<Act>;
}

export function actTable({ subject, ...given }: ActTable): Html {
  return table<Act>({
    ...given,
    columns: [
      { title: "At", cell: ({ at }) => instant(at) },
      { title: "By", cell: ({ by }) => (by === null ? html`not known` : foreign(by)) },
      { title: "What", cell: ({ kind }) => kind },
      ...(subject === undefined ? [] : [subject]),
      { title: "Reason", cell: ({ reason }) => foreign(reason) },
    ],
  });
}
