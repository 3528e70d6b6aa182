/** The checkout's texts in Portuguese, as written in Brazil. */
import type { Messages } from '../message-keys.ts';

export const PT: Messages = {
  nativeName: 'Português',
  payment: 'Pagamento',
  language: 'Idioma',
  secured: 'Desenvolvido com {name}',
  refresh: 'Atualizar o status',

  amountDue: 'Valor a pagar',
  amountSuggested: 'Valor sugerido',
  amountAny: 'Você pode enviar qualquer valor a partir de {least}. Menos do que isso não será creditado.',
  amountPaid: 'Recebido',
  amountOver: 'Valor excedente',
  amountWasDue: 'Valor que era devido',
  amountSettled: 'Pago',
  amountRefunded: 'Reembolsado',
  itemOrder: 'Pedido',
  itemDiscount: 'Desconto',
  itemSurcharge: 'Acréscimo',
  itemFee: 'Taxa de pagamento',
  itemTotal: 'Total',
  rateHeld: '{rate}, garantido {until}',
  orderReference: 'Número do pedido',
  contactTitle: 'Falar com {merchant}',
  terms: 'Condições de venda',

  chooseTitle: 'Escolha uma criptomoeda',
  chooseText: 'O valor é fixado no momento da escolha.',
  waitingTitle: 'Aguardando o seu pagamento',
  waitingText: 'Assim que ele chegar, você verá aqui.',
  seenLate:
    'Os pagamentos na rede {network} estão sendo detectados com atraso no momento. Se você já pagou, não pague de novo: seu pagamento vai aparecer aqui.',
  seenTitle: 'Pagamento detectado',
  seenText: 'A rede está confirmando o pagamento. Você não precisa fazer mais nada.',
  seenPartText:
    'Uma parte do valor está a caminho. Se ainda houver tempo quando ela for confirmada, esta página mostrará como pagar o restante.',
  seenPartLateText: 'Uma parte do valor está a caminho, mas o prazo para pagar terminou. Fale com a loja.',
  partialTitle: 'Pagamento parcial recebido',
  partialText: 'Envie o restante para o mesmo endereço.',
  paidTitle: 'Pago',
  paidText: 'Obrigado. A loja foi notificada.',
  overText: 'Obrigado. Você pagou mais do que o necessário. Fale com a loja sobre a diferença.',
  expiredTitle: 'Esta fatura expirou',
  expiredText: 'Não envie nada agora. Peça uma nova fatura à loja.',
  lateTitle: 'O tempo acabou',
  lateText: 'Só uma parte do valor chegou. Fale com a loja.',
  reviewTitle: 'O pagamento está em análise',
  reviewText: 'Ele chegou e está sendo verificado. A loja entrará em contato com você.',
  failedTitle: 'O pagamento não foi concluído',
  failedText: 'A rede o descartou. Se o dinheiro saiu da sua carteira, fale com a loja.',
  refundedTitle: 'Reembolsado',
  refundedText: 'A loja reembolsou este pagamento.',
  paidLateTitle: 'Já pagou?',
  paidLateText:
    'Se você enviou, a loja pode encontrar o pagamento. Fale com ela e informe o ID da transação que aparece na sua carteira.',

  timeLeft: 'Tempo restante',
  untilDate: 'até {time}',
  untilTime: 'até {time}',
  minutesLeft: {
    one: 'Falta {n} minuto para pagar.',
    many: 'Faltam {n} minutos para pagar.',
    other: 'Faltam {n} minutos para pagar.',
  },

  sendExactly: 'Envie exatamente',
  stillToSend: 'Falta enviar',
  receivedSoFar: 'Recebido até agora: {amount}',
  toAddress: 'Para este endereço na rede {network}',
  withTag: 'Com esta tag de destino (destination tag)',
  tagNeeded: 'Sem a tag, não é possível reconhecer o seu pagamento.',
  orXAddress: 'Minha carteira aceita endereços X',
  xAddress: 'Endereço X, que contém o endereço e a tag',
  copy: 'Copiar',
  copied: 'Copiado',
  scan: 'Escaneie com a sua carteira',
  showQr: 'Mostrar o QR code',
  qrLabel: 'QR code deste pagamento: {amount} na rede {network}',
  openWallet: 'Abrir na carteira',
  onlyNetwork: 'Envie somente {symbol} pela rede {network}. Qualquer outra coisa pode se perder.',
  feeOnTop: 'As taxas de rede são à parte: exatamente este valor precisa chegar.',
  noMemo: 'Não é preciso comentário nem memo: este endereço é só deste pagamento.',

  change: 'Trocar de moeda',
  search: 'Buscar moeda ou rede',
  noMatch: 'Nada encontrado.',
  feeAbout: 'taxa de rede de cerca de {fee}',
  feeUnder: 'taxa de rede abaixo de {fee}',
  noCurrency: 'Nenhuma moeda está disponível agora. Tente mais tarde ou fale com a loja.',

  payments: { one: 'Seu pagamento', many: 'Seus pagamentos', other: 'Seus pagamentos' },
  inMempool: 'Detectado, aguardando o primeiro bloco',
  confirmationsOf: {
    one: '{n} de {m} confirmação',
    many: '{n} de {m} confirmações',
    other: '{n} de {m} confirmações',
  },
  confirmationsSoFar: {
    one: 'Em confirmação: {n} confirmação até agora',
    many: 'Em confirmação: {n} confirmações até agora',
    other: 'Em confirmação: {n} confirmações até agora',
  },
  confirmed: 'Confirmado',
  viewTransaction: 'Ver a transação',
  newTab: '(abre em uma nova aba)',
  transactionId: 'ID da transação',

  testTitle: 'Fatura de teste.',
  testWarning: 'Não envie dinheiro de verdade: ele seria perdido.',
  simulate: 'Simular um pagamento',
  simulatePaid: 'Completo',
  simulatePartial: 'Uma parte',
  simulateOver: 'A mais',

  back: 'Voltar à loja',
  backTo: 'Voltar para {merchant}',
  cancel: 'Cancelar e voltar',
  leaving: 'Você será redirecionado em {seconds}',
  stay: 'Ficar aqui',

  notFoundTitle: 'Este pagamento não existe',
  notFoundText: 'Confira o link ou peça um novo à loja.',
  momentTitle: 'Um momento',
  busyText: 'Solicitações demais. Tente de novo em instantes.',
  awayText:
    'Não é possível mostrar a página de pagamento agora. Nada se perdeu; recarregue em alguns segundos.',
  tryAgain: 'Tentar de novo',
  problemForeign: 'Para sua segurança, faça a escolha diretamente nesta página.',
  problemChoice: 'Escolha uma das criptomoedas abaixo.',
  problemRejected: 'Isso não é mais possível. Veja como está o pagamento agora.',
  problemRates: 'Não há uma cotação atualizada neste momento. Tente de novo em instantes.',
  problemNetwork: 'Esta rede ainda não está pronta. Tente de novo em alguns segundos ou escolha outra moeda.',
  problemOther: 'Não deu certo. Tente de novo.',

  // The receipt.
  receipt: 'Recibo',
  receiptDate: 'Data',
  receiptNumber: 'Número do recibo',
  receiptSeller: 'Vendedor',
  receiptNetwork: 'Rede',
  receiptRate: 'Taxa de câmbio',
  receiptPdf: 'Baixar em PDF',
  receiptPrint: 'Imprimir',
  receiptNone: 'O recibo fica disponível assim que o pagamento estiver completo.',

  // Payment links.

  // Refund claims.

  // Wallets in the browser.

  // E-mails.
};
