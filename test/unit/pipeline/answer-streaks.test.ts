import { describe, expect, it } from "vitest";
import { createAnswerStreaks, UNUSED_TOKENS_IN_A_ROW } from "../../../src/pipeline/settle/answer-streaks.ts";

const HOST = "news.example";

describe("unused tokens in a row", () => {
  it("are counted for each page, until one page has lost too many: then no page of the site gets another token", () => {
    const streaks = createAnswerStreaks();
    for (let count = 1; count < UNUSED_TOKENS_IN_A_ROW; count++) {
      expect(streaks.unusedToken(HOST, "/a")).toBe(count);
      expect(streaks.unusedToken(HOST, "/b")).toBe(count);
    }
    expect(streaks.unusedToken(HOST, "/a")).toBeNull();
    expect(streaks.unusedToken(HOST, "/b")).toBeNull();
    expect(streaks.unusedToken(HOST, "/c")).toBeNull();
    expect(streaks.unusedToken("shop.example", "/a")).toBe(1);
  });

  it("begin anew with each content that the site serves", () => {
    const streaks = createAnswerStreaks();
    for (let count = 1; count <= UNUSED_TOKENS_IN_A_ROW; count++) {
      streaks.unusedToken(HOST, "/a");
    }
    streaks.granted("shop.example");
    expect(streaks.unusedToken(HOST, "/a")).toBeNull();
    streaks.granted(HOST);
    expect(streaks.unusedToken(HOST, "/a")).toBe(1);
  });
});
