import { z } from "zod";
import { MAX_TOOL_URLS, MAX_URL_CHARS } from "../tool.ts";

const MAX_AMOUNT_CHARS = 64;

export const urlArgument = z.string().min(1).max(MAX_URL_CHARS).describe("The full URL of a page.");
export const urlsArgument = z.array(urlArgument).min(1).max(MAX_TOOL_URLS).describe("Full URLs of pages.");
export const amountArgument = z.string().min(1).max(MAX_AMOUNT_CHARS);
