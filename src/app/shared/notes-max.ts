/** Most notes that a job keeps between its runs: they only save repeated requests and alarms. */
export const NOTES_MAX = 20_000;
