/** What is under way for a `page p`, as conditions in SQL. */

/** Whether it is being bought. */
export const IS_BEING_BOUGHT = "EXISTS (SELECT 1 FROM purchase o WHERE o.page_id = p.id AND o.ended_at IS NULL)";

/** Whether a purchase of it is in doubt. */
export const IS_IN_DOUBT = "EXISTS (SELECT 1 FROM purchase d WHERE d.page_id = p.id AND d.state = 'in_doubt')";
