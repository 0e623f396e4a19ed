/** Which entries and uses are of a report, by the ranges of their ids: SQL of conditions. */

/** SQL: whether an entry `e` is of the report `b`, by the ids of the entries. */
export const IS_ENTRY_OF_REPORT = "e.id BETWEEN b.first_entry_id AND b.last_entry_id";

/** SQL: from which to which id the uses of the plain report `b` go; NULL to NULL where it is not plain. */
export const PLAIN_RANGE = "b.first_use_id AND b.first_use_id + b.last_entry_id - b.first_entry_id";

/** SQL: whether a use `u` is of the report `b`, plain or not. */
export const IS_USE_OF_REPORT = `(u.entry_id BETWEEN b.first_entry_id AND b.last_entry_id OR u.id BETWEEN ${PLAIN_RANGE})`;
