/**
 * Customers of the Online Retail data set by the month of their first order line, and how many of them have order lines in each month from then on:
 * the table that public notebooks of cohort analysis show, 91 figures. The last month ends on its ninth day.
 */
export const ONLINE_RETAIL_RETURNS: readonly (readonly [month: string, customers: readonly number[]])[] = [
  ["2010-12", [948, 362, 317, 367, 341, 376, 360, 336, 336, 374, 354, 474, 260]],
  ["2011-01", [421, 101, 119, 102, 138, 126, 110, 108, 131, 146, 155, 63]],
  ["2011-02", [380, 94, 73, 106, 102, 94, 97, 107, 98, 119, 35]],
  ["2011-03", [440, 84, 112, 96, 102, 78, 116, 105, 127, 39]],
  ["2011-04", [299, 68, 66, 63, 62, 71, 69, 78, 25]],
  ["2011-05", [279, 66, 48, 48, 60, 68, 74, 29]],
  ["2011-06", [235, 49, 44, 64, 58, 79, 24]],
  ["2011-07", [191, 40, 39, 44, 52, 22]],
  ["2011-08", [167, 42, 42, 42, 23]],
  ["2011-09", [298, 89, 97, 36]],
  ["2011-10", [352, 93, 46]],
  ["2011-11", [321, 43]],
  ["2011-12", [41]],
];
