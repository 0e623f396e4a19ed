/** How a page of a run's frontier stands. */

/**
 * SQL: the state of a row `f` of frontier. A page that waited in a batch is decided when the batch is done. So who removes a batch that is not
 * done sets its pages free first (`freePages`).
 */
export const FRONTIER_STATE =
  "CASE WHEN f.batch_id IS NULL OR EXISTS (SELECT 1 FROM batch b WHERE b.id = f.batch_id) THEN f.state ELSE 'decided' END";
