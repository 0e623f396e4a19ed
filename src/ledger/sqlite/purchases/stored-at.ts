/**
 * SQL: when the content of a purchase was stored, unless it is the version that its page holds: then the page says it (`held_at`). It is the end of
 * the purchase. Where a person had confirmed the charge before, the content came later: it was stored when its request was answered.
 * @param purchase the name of the purchase in the statement
 */
export function storedAtSql(purchase: string): string {
  return `max(${purchase}.ended_at, coalesce(${purchase}.asked_at, ${purchase}.ended_at))`;
}
