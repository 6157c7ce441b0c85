/** In which history a mutant is noticed, by its name, with the seed that is used where none is given. `find-noticed.ts` writes this. */
export const noticedIn: Readonly<Record<string, number>> = {
  "derived/rows-taken.ts: that rows of a segment were taken from a head": 11,
  "derived/rows-taken.ts: which rows of a head were taken": 8,
  "derived/rows-taken.ts: what came to a head since": 0,
  "derived/store-table.ts: to empty a table that is dropped": 5,
  "derived/store-table.ts: to tell that a table was dropped": 5,
  "derived/followed-actors.ts: rows of a segment that were not taken": 46,
  "derived/followed-actors.ts: all that followed": 47,
  "table/touches/touches.ts: to tell who got touches": 16,
  "table/touches/touch-index.ts: touches that only ids tell apart": 2,
  "table/money/payments.ts: that payments were taken from a head": 11,
  "table/money/payments.ts: an earlier payment of an order": 0,
  "table/money/payments.ts: the one that counted before": 0,
  "table/money/payment-companies.ts: payments of who came to another company": 0,
};
