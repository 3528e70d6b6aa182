/** Every endpoint under /api/v2. */
import type { Route } from './route.ts';
import { CATALOG_ROUTES } from './routes/catalog.routes.ts';
import { EVENT_ROUTES } from './routes/events.routes.ts';
import { INVOICE_ROUTES } from './routes/invoices.routes.ts';
import { MERCHANT_ROUTES } from './routes/merchant.routes.ts';
import { NOTIFICATION_ROUTES } from './routes/notifications.routes.ts';
import { PAYOUT_ROUTES } from './routes/payouts.routes.ts';
import { PERMANENT_ROUTES } from './routes/permanent.routes.ts';

export const API_PREFIX = '/api/v2';

export const API_ROUTES: readonly Route[] = [
  ...INVOICE_ROUTES,
  ...PAYOUT_ROUTES,
  ...PERMANENT_ROUTES,
  ...MERCHANT_ROUTES,
  ...CATALOG_ROUTES,
  ...NOTIFICATION_ROUTES,
  ...EVENT_ROUTES,
];
