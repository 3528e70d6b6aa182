/**
 * How many random cases are held against another library: few in the suite, whose time is short,
 * and more by `ORACLE_CASES=1000`.
 */
export const ORACLE_CASES = Number(process.env.ORACLE_CASES ?? 200);
