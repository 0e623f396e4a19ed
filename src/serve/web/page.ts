/**
 * A page of the web interface, declared once: its route, its place in the navigation, what it takes and what it shows come from it. A page is a
 * function of a report, and a report is what the agent's calls answer, as `--json` and the API have it.
 */
import type { z } from "zod";
import type { Reports } from "../../agent/reports/reports.ts";
import type { ServiceContext } from "../service-part.ts";
import type { Html } from "./html/html.ts";

/** The groups of the navigation, in their order. */
export const MENU_GROUPS = ["Now", "Money", "Content", "Service"] as const;

/** What a page is asked: the parts of its address and of its query. */
export interface PageInput {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
}

/** What was asked, when `input` has checked it. */
export type Asked<Input extends PageInput> = {
  readonly [Part in keyof Input]: Input[Part] extends z.ZodType ? z.output<Input[Part]> : never;
};

/** What a page reads from: reports of one state of the ledger, and what only this process knows. */
export interface PageReports extends Reports {
  /** When the page was asked for. Every report of it is of this instant or of one shortly before. */
  readonly now: number;
  /** The service itself: its runs at work, its readiness, its configuration. Never its ledger: a page reads that by reports. */
  readonly service: Omit<ServiceContext, "agent" | "resources">;
}

/** What a page knows beside its report. */
export interface PageView<Given> {
  readonly asked: Given;
  /** Whether who looks may act. Otherwise no action is shown. Nothing else of a page depends on who looks, so it is written once for many. */
  readonly mayAct: boolean;
  /** When the page was asked for, or another look at the same reading of it, epoch ms. */
  readonly now: number;
  /** The path with its query, for links to the page itself. */
  readonly address: string;
}

export interface Page {
  /** As fastify writes it: `/runs/:run`. */
  readonly path: string;
  /** Its place in the navigation. Null: a page that others link to. */
  readonly menu: { readonly group: (typeof MENU_GROUPS)[number]; readonly name: string } | null;
  readonly input: PageInput;
  /** Parts of it change while a run works: the script draws them again (web/live.js). */
  readonly isLive: boolean;
  read(reports: PageReports, asked: unknown): Promise<object>;
  title(report: object, asked: unknown): string;
  /** Each says a part of it. */
  commands(asked: unknown, now: number): readonly string[];
  body(report: object, view: PageView<unknown>): Html;
}

interface Declaration<Input extends PageInput, Report> extends Pick<Page, "path"> {
  /** @default null */
  readonly menu?: Page["menu"];
  /** @default nothing */
  readonly input?: Input;
  /** @default false */
  readonly isLive?: boolean;
  /** Calls of the agent, and nothing that counts: a number of a page is one of a report. */
  read(reports: PageReports, asked: Asked<Input>): Promise<Report>;
  title: string | ((report: Report, asked: Asked<Input>) => string);
  /** The same in the terminal: one command, or several that each say a part. Null: no command does. */
  command: string | null | ((asked: Asked<Input>, now: number) => string | readonly string[]);
  body(report: Report, view: PageView<Asked<Input>>): Html;
}

export function definePage<Report, Input extends PageInput = Record<never, never>>(
  declaration: Declaration<Input, Report>,
): Page {
  const { title, command } = declaration;
  const page = {
    menu: null,
    input: {},
    isLive: false,
    ...declaration,
    title: (report: Report, asked: Asked<Input>) => (typeof title === "string" ? title : title(report, asked)),
    commands: (asked: Asked<Input>, now: number) =>
      [typeof command === "function" ? command(asked, now) : command].flat().filter((one) => one !== null),
  };
  // The route checks what is asked by `input` before the page gets it.
  return page as unknown as Page;
}
