/** The columns of a merchant: a row of them is the domain's Merchant. */
import { getTableColumns } from 'drizzle-orm';
import { merchants } from '../schema/merchants.ts';

export const MERCHANT = getTableColumns(merchants);
