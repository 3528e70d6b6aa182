/** The checkout's texts in the Portuguese of Europe, where its words differ from Brazil's. */
import type { Messages } from '../../message-keys.ts';
import { PT } from '../pt.ts';

export const PT_PT: Messages = {
  ...PT,
  nativeName: 'Português (Portugal)',
  refresh: 'Atualizar o estado',
  amountAny: 'Pode enviar qualquer valor a partir de {least}. Menos do que isso não será creditado.',
  waitingText: 'Assim que chegar, verá aqui.',
  seenLate:
    'De momento, os pagamentos na rede {network} estão a ser detetados com atraso. Se já pagou, não pague de novo: o seu pagamento vai aparecer aqui.',
  seenTitle: 'Pagamento detetado',
  seenText: 'A rede está a confirmar o pagamento. Não precisa de fazer mais nada.',
  overText: 'Obrigado. Pagou mais do que o necessário. Contacte a loja sobre a diferença.',
  seenPartLateText: 'Uma parte do valor está a caminho, mas o prazo para pagar terminou. Contacte a loja.',
  lateText: 'Só uma parte do valor chegou. Contacte a loja.',
  reviewText: 'Chegou e está a ser verificado. A loja entrará em contacto consigo.',
  failedText: 'A rede rejeitou-o. Se o dinheiro saiu da sua carteira, contacte a loja.',
  paidLateText:
    'Se enviou o pagamento, a loja pode encontrá-lo. Contacte-a e indique o ID da transação que aparece na sua carteira.',
  contactTitle: 'Contactar {merchant}',
  scan: 'Leia com a sua carteira',
  qrLabel: 'Código QR deste pagamento: {amount} na rede {network}',
  showQr: 'Mostrar o código QR',
  orXAddress: 'A minha carteira aceita endereços X',
  withTag: 'Com esta etiqueta de destino (destination tag)',
  tagNeeded: 'Sem a etiqueta, não é possível reconhecer o seu pagamento.',
  xAddress: 'Endereço X, que contém o endereço e a etiqueta',
  change: 'Mudar de moeda',
  search: 'Procurar moeda ou rede',
  noCurrency: 'Nenhuma moeda está disponível neste momento. Tente mais tarde ou contacte a loja.',
  inMempool: 'Detetado, à espera do primeiro bloco',
  newTab: '(abre num novo separador)',
  leaving: 'Será redirecionado dentro de {seconds}',
  busyText: 'Demasiados pedidos. Tente de novo dentro de momentos.',
  awayText:
    'De momento não é possível mostrar a página de pagamento. Nada se perdeu; recarregue dentro de alguns segundos.',
  problemRates: 'De momento não há um câmbio atualizado. Tente de novo dentro de momentos.',
  problemOther: 'Não resultou. Tente de novo.',
  receiptPdf: 'Transferir em PDF',
  linkName: 'O seu nome',
  linkEmail: 'O seu e-mail',
  linkClosedTitle: 'Esta ligação está fechada',
  linkClosedText: 'Já não aceita pagamentos. Peça ao vendedor outra forma de pagar.',
  problemAmount: 'Introduza um valor permitido aqui.',
  problemTooSmall: 'Este valor é demasiado pequeno para ser pago.',
};
