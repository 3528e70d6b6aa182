/** What was kept for long enough, by its time. */

/** Something of before `from` is kept: its time is of a clock that was wrong. */
export interface TimesOver {
  readonly from: Date;
  readonly before: Date;
}
