/**
 * An action of the web interface, declared once: a page that says what it will write and what it costs, asks why, and whose form does it. What it does is a
 * call of the agent or of the run manager, as in the API.
 */
import type { z } from "zod";
import type { ActedBy } from "../../../act/act.ts";
import type { Act } from "../../../ledger/act-ledger.ts";
import type { ServiceContext } from "../../service-part.ts";
import type { Html, HtmlValue } from "../html/html.ts";
import type { Asked, PageInput, PageReports } from "../page.ts";

/** Who acts, why, and by which request: a second one with its key does nothing. */
export type Acting = Required<Pick<ActedBy, "by" | "requestKey">> & { readonly reason: string };

export interface Action {
  /** As fastify writes it: `/runs/:id/stop`. */
  readonly path: string;
  readonly input: PageInput;
  /** What the form asks beside the reason. */
  readonly fields: z.ZodObject;
  title(asked: unknown): string;
  read(reports: PageReports, asked: unknown): Promise<unknown>;
  body(report: unknown, asked: unknown): Html;
  /** Names what is done once for good, whatever form asks for it. Absent: each form does it once. */
  onceFor?(asked: unknown): string;
  /** What its button says. */
  readonly button: string;
  /** What is deleted, ended or booked cannot be had back: its button warns. Absent: it can. */
  readonly isFinal?: boolean;
  /** Why there is nothing to do: its page says so instead of its form. Null or absent: there is. */
  idle?(report: unknown, asked: unknown): HtmlValue | null;
  /** The same in the terminal. */
  command(asked: unknown): string;
  work(context: ServiceContext, given: { asked: unknown; fields: unknown; acting: Acting }): Promise<unknown>;
  /** The page of what came of it, and of who does nothing. @param act what was written; null: nothing, because it was so before, or is written a little later */
  next(asked: unknown, act: Act | null): string;
}

interface Declaration<Input extends PageInput, Fields extends z.ZodObject, Report>
  extends Pick<Action, "path" | "button" | "isFinal"> {
  readonly input: Input;
  readonly fields: Fields;
  title(asked: Asked<Input>): string;
  read(reports: PageReports, asked: Asked<Input>): Promise<Report>;
  body(report: Report, asked: Asked<Input>): Html;
  onceFor?(asked: Asked<Input>): string;
  idle?(report: Report, asked: Asked<Input>): HtmlValue | null;
  command(asked: Asked<Input>): string;
  work(
    context: ServiceContext,
    given: { readonly asked: Asked<Input>; readonly fields: z.output<Fields>; readonly acting: Acting },
  ): Promise<unknown>;
  next(asked: Asked<Input>, act: Act | null): string;
}

export function defineAction<Report, Input extends PageInput, Fields extends z.ZodObject>(
  declaration: Declaration<Input, Fields, Report>,
): Action {
  // The route checks what is asked by `input`, and the form by `fields`, before the action gets them.
  return declaration as unknown as Action;
}
