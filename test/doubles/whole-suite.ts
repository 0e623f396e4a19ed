/**
 * What plays a part of its cases for each change, and all of them at night (`LICET_TEST_ALL=1`, test/nightly.mjs): where the cases that are left out differ
 * in what other cases show too, and all of them would take minutes.
 */
export const PLAYS_ALL = process.env.LICET_TEST_ALL === "1";
