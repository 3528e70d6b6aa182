/**
 * Sums per merchant and day (UTC) of what its ledger and its invoices did
 * (domain/console/day-figure.ts). Triggers of drizzle/0006_console.sql maintain them.
 */
import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { DAY_FIGURES, type DayFigure } from '../../../../domain/console/day-figure.ts';
import { dayNumber, oneOf, units } from '../columns.ts';

const COLUMNS = {
  merchantId: text('merchant_id').notNull(),
  sandbox: boolean('sandbox').notNull(),
  day: dayNumber('day').notNull(),
  figure: text('figure').$type<DayFigure>().notNull(),
  /** An asset, or the status of an invoice; '' if there is none. */
  label: text('label').notNull(),
  /** Entries less those that were reversed, or invoices. */
  count: bigint('count', { mode: 'number' }).notNull(),
  /** Base units of the asset, the merchant's fee included; 0 without an asset. */
  units: units('units').notNull(),
  microUsd: units('micro_usd').notNull(),
  /** What the merchant paid as commission or network fee. */
  feeMicroUsd: units('fee_micro_usd').notNull(),
};

export const dayFigures = pgTable('day_figures', COLUMNS, (t) => [
  primaryKey({ columns: [t.merchantId, t.sandbox, t.day, t.figure, t.label] }),
  check('day_figures_figure', oneOf(t.figure, DAY_FIGURES)),
]);

/**
 * Changes that are not folded into the sums yet. Rows are only inserted and deleted, so no
 * transaction waits for another here.
 */
export const dayFigureChanges = pgTable('day_figure_changes', COLUMNS, (t) => [
  index('day_figure_changes_of_merchant').on(t.merchantId, t.sandbox, t.day),
  check('day_figure_changes_figure', sql`${oneOf(t.figure, DAY_FIGURES)}`),
]);
