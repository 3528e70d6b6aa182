/** `GET /checkout/{id}/receipt`, and `receipt.pdf` beside it. */
import type { PublicRoute } from '../../kit/route.ts';
import { externalIdOf } from '../external-id.ts';
import { frameOf, guarded, messagePage, notFoundPage, type Pages, type PathParams } from '../pages.ts';
import { HEADERS, pageAnswer, seeOther } from '../responses.ts';
import type { CheckoutView } from '../view.ts';
import type { Receipt } from './receipt.ts';
import { PAPERS, type Paper, receiptPath } from './receipt-path.ts';

const rendering = () => import('../page/rendering.ts');

export function receiptRoutes(pages: Pages): readonly PublicRoute[] {
  return [
    {
      method: 'GET',
      path: '/checkout/:external_id/receipt',
      respond: guarded(pages, (request, params) =>
        withReceipt(pages, request, params, async (view, receipt) => {
          const [{ receiptPage }, pdf] = await Promise.all([rendering(), pdfReceipt(view, receipt)]);
          return pageAnswer(request, 200, receiptPage(view, receipt, paperOf(request), pdf !== null));
        }),
      ),
    },
    {
      method: 'GET',
      path: '/checkout/:external_id/receipt.pdf',
      respond: guarded(pages, (request, params) =>
        withReceipt(pages, request, params, async (view, receipt) => {
          const written = await pdfReceipt(view, receipt);
          if (written === null) return seeOther(receiptPath(view, paperOf(request)));
          const { receiptPdf } = await import('./receipt-pdf.ts');
          const { updatedAt, createdAt } = view.invoice;
          const pdf = await receiptPdf(written, paperOf(request), updatedAt ?? createdAt);
          return new Response(pdf, {
            headers: {
              ...HEADERS,
              'content-type': 'application/pdf',
              'content-disposition': `attachment; filename="receipt-${view.invoice.id}.pdf"`,
            },
          });
        }),
      ),
    },
  ];
}

/** Responds with a message where there is no such invoice, or no receipt of it yet. */
async function withReceipt(
  pages: Pages,
  request: Request,
  params: PathParams,
  respond: (view: CheckoutView, receipt: Receipt) => Promise<Response>,
): Promise<Response> {
  const id = externalIdOf(params);
  const view = id === null ? null : await pages.readView(await frameOf(pages, request), id, null);
  if (view === null) return notFoundPage(pages, request);
  const { receiptOf } = await rendering();
  const receipt = receiptOf(view);
  return receipt === null
    ? messagePage(pages, request, params, { status: 404, text: 'receiptNone', wait: 5 })
    : respond(view, receipt);
}

/**
 * The receipt in the customer's language or, where the PDF's font lacks its letters, in English.
 * Null if it lacks letters of the merchant's texts.
 */
async function pdfReceipt(view: CheckoutView, receipt: Receipt): Promise<Receipt | null> {
  const [{ canBePdf }, { receiptOf, Translator }] = await Promise.all([
    import('./receipt-pdf.ts'),
    rendering(),
  ]);
  if (await canBePdf(receipt)) return receipt;
  const english = receiptOf(view, new Translator('en'));
  return english !== null && (await canBePdf(english)) ? english : null;
}

function paperOf(request: Request): Paper {
  const asked = new URL(request.url).searchParams.get('paper');
  return PAPERS.find((paper) => paper === asked) ?? 'a4';
}
