/** The calls that give documents to other programs, and the records of the gateway. */
import { cursorAgent } from "../documents/cursor-agent.ts";
import {
  namesCursor,
  takeCursorFilter,
  takeDocumentFilter,
  takeRangeFilter,
} from "../documents/document-filter-checks.ts";
import { documentsAgent } from "../documents/documents-agent.ts";
import { rangeAgent } from "../documents/range-agent.ts";
import { historyAgent } from "../reports/history-agent.ts";
import { acts, options, reads, withResources } from "./call.ts";

export const DOCUMENT_CALLS = {
  documentRange: acts([takeRangeFilter], withResources(rangeAgent)),
};

/** What is given one by one. */
export const ITERATING_CALLS = {
  documents: reads(
    [
      (name, filter = {}) =>
        namesCursor(filter)
          ? { kind: "cursor" as const, filter: takeCursorFilter(name, filter) }
          : { kind: "stored" as const, filter: takeDocumentFilter(name, filter) },
    ],
    ({ resources }, asked) =>
      asked.kind === "cursor" ? cursorAgent(resources, asked.filter) : documentsAgent(resources, asked.filter),
  ),
  history: reads([options("history")], ({ resources, warn }, query) => historyAgent(resources, query, warn)),
};
