/** The checkout's texts in French. */
import type { Messages } from '../message-keys.ts';

export const FR: Messages = {
  nativeName: 'Français',
  payment: 'Paiement',
  language: 'Langue',
  secured: 'Propulsé par {name}',
  refresh: 'Actualiser l’état',

  amountDue: 'Montant à payer',
  amountSuggested: 'Montant proposé',
  amountAny:
    'Vous pouvez envoyer le montant de votre choix à partir de {least}. En dessous, rien n’est crédité.',
  amountPaid: 'Reçu',
  amountOver: 'Trop-perçu',
  amountWasDue: 'Montant qui était dû',
  amountSettled: 'Payé',
  amountRefunded: 'Remboursé',
  itemOrder: 'Commande',
  itemDiscount: 'Remise',
  itemSurcharge: 'Supplément',
  itemFee: 'Frais de paiement',
  itemTotal: 'Total',
  rateHeld: '{rate}, garanti {until}',
  orderReference: 'Référence de la commande',
  contactTitle: 'Contacter {merchant}',
  terms: 'Conditions de vente',

  chooseTitle: 'Choisissez une cryptomonnaie',
  chooseText: 'Le montant est fixé au moment de votre choix.',
  waitingTitle: 'En attente de votre paiement',
  waitingText: 'Dès qu’il arrive, vous le verrez ici.',
  seenLate:
    'Les paiements sur {network} sont détectés avec du retard en ce moment. Si vous avez déjà payé, ne payez pas une deuxième fois. Votre paiement s’affichera ici.',
  seenTitle: 'Paiement détecté',
  seenText: 'Le réseau est en train de le confirmer. Vous n’avez plus rien à faire.',
  seenPartText:
    'Une partie du montant est en route. S’il reste du temps une fois qu’elle sera confirmée, cette page indiquera comment payer le reste.',
  seenPartLateText:
    'Une partie du montant est en route, mais le délai de paiement est écoulé. Veuillez contacter le marchand.',
  partialTitle: 'Paiement partiel reçu',
  partialText: 'Veuillez envoyer le reste à la même adresse.',
  paidTitle: 'Payé',
  paidText: 'Merci. Le marchand a été prévenu.',
  overText: 'Merci. Vous avez payé plus que demandé. Contactez le marchand au sujet de la différence.',
  expiredTitle: 'Cette facture a expiré',
  expiredText: 'N’envoyez plus rien. Demandez une nouvelle facture au marchand.',
  lateTitle: 'Le délai est écoulé',
  lateText: 'Seule une partie du montant est arrivée. Veuillez contacter le marchand.',
  reviewTitle: 'Le paiement est en cours d’examen',
  reviewText: 'Il est arrivé et fait l’objet d’une vérification. Le marchand reviendra vers vous.',
  failedTitle: 'Le paiement n’a pas abouti',
  failedText: 'Le réseau l’a rejeté. Si l’argent a quitté votre portefeuille, contactez le marchand.',
  refundedTitle: 'Remboursé',
  refundedText: 'Le marchand a remboursé ce paiement.',
  paidLateTitle: 'Vous avez déjà payé ?',
  paidLateText:
    'Si vous l’avez envoyé, le marchand peut le retrouver. Contactez-le en indiquant l’identifiant de transaction affiché par votre portefeuille.',

  timeLeft: 'Temps restant',
  untilDate: 'jusqu’au {time}',
  untilTime: 'jusqu’à {time}',
  minutesLeft: {
    one: 'Il reste {n} minute pour payer.',
    many: 'Il reste {n} minutes pour payer.',
    other: 'Il reste {n} minutes pour payer.',
  },

  sendExactly: 'Envoyez exactement',
  stillToSend: 'Reste à envoyer',
  receivedSoFar: 'Reçu jusqu’ici : {amount}',
  toAddress: 'À cette adresse sur {network}',
  withTag: 'Avec ce tag de destination (destination tag)',
  tagNeeded: 'Sans ce tag, votre paiement ne peut pas être reconnu.',
  orXAddress: 'Mon portefeuille accepte les adresses X',
  xAddress: 'Adresse X, qui contient l’adresse et le tag',
  copy: 'Copier',
  copied: 'Copié',
  scan: 'Scannez avec votre portefeuille',
  showQr: 'Afficher le code QR',
  qrLabel: 'Code QR de ce paiement : {amount} sur {network}',
  openWallet: 'Ouvrir dans le portefeuille',
  onlyNetwork: 'Envoyez uniquement des {symbol} sur le réseau {network}. Tout autre envoi peut être perdu.',
  feeOnTop: 'Les frais de réseau s’ajoutent : c’est exactement ce montant qui doit arriver.',
  noMemo: 'Aucun commentaire ni mémo n’est nécessaire : cette adresse est réservée à ce paiement.',

  change: 'Changer de monnaie',
  search: 'Rechercher une monnaie ou un réseau',
  noMatch: 'Aucun résultat.',
  feeAbout: 'frais de réseau d’environ {fee}',
  feeUnder: 'frais de réseau de moins de {fee}',
  noCurrency: 'Aucune monnaie n’est disponible pour le moment. Réessayez plus tard ou contactez le marchand.',

  payments: { one: 'Votre paiement', many: 'Vos paiements', other: 'Vos paiements' },
  inMempool: 'Détecté, en attente du premier bloc',
  confirmationsOf: {
    one: '{n} sur {m} confirmation',
    many: '{n} sur {m} confirmations',
    other: '{n} sur {m} confirmations',
  },
  confirmationsSoFar: {
    one: 'En cours de confirmation : {n} confirmation pour l’instant',
    many: 'En cours de confirmation : {n} confirmations pour l’instant',
    other: 'En cours de confirmation : {n} confirmations pour l’instant',
  },
  confirmed: 'Confirmé',
  viewTransaction: 'Voir la transaction',
  newTab: '(s’ouvre dans un nouvel onglet)',
  transactionId: 'Identifiant de transaction',

  testTitle: 'Facture de test.',
  testWarning: 'N’envoyez pas d’argent réel : il serait perdu.',
  simulate: 'Simuler un paiement',
  simulatePaid: 'Complet',
  simulatePartial: 'Une partie',
  simulateOver: 'Trop-perçu',

  back: 'Retourner chez le marchand',
  backTo: 'Retourner chez {merchant}',
  cancel: 'Annuler et revenir',
  leaving: 'Redirection dans {seconds}',
  stay: 'Rester ici',

  notFoundTitle: 'Ce paiement n’existe pas',
  notFoundText: 'Vérifiez le lien ou demandez-en un nouveau au marchand.',
  momentTitle: 'Un instant',
  busyText: 'Trop de requêtes. Veuillez réessayer dans un instant.',
  awayText:
    'La page de paiement ne peut pas s’afficher pour le moment. Rien n’est perdu ; rechargez-la dans quelques secondes.',
  tryAgain: 'Réessayer',
  problemForeign: 'Pour votre sécurité, veuillez faire votre choix sur cette page.',
  problemChoice: 'Veuillez choisir l’une des cryptomonnaies ci-dessous.',
  problemRejected: 'Ce n’est plus possible. Voici où en est le paiement.',
  problemRates: 'Aucun taux de change récent n’est connu pour le moment. Réessayez dans un instant.',
  problemNetwork:
    'Ce réseau n’est pas encore prêt. Réessayez dans quelques secondes ou choisissez une autre monnaie.',
  problemOther: 'Cela n’a pas fonctionné. Veuillez réessayer.',

  // The receipt.
  receipt: 'Reçu',
  receiptDate: 'Date du paiement',
  receiptNumber: 'Numéro de reçu',
  receiptSeller: 'Vendeur',
  receiptNetwork: 'Réseau',
  receiptRate: 'Taux de change',
  receiptPdf: 'Télécharger en PDF',
  receiptPrint: 'Imprimer',
  receiptNone: 'Le reçu sera disponible dès que le paiement sera complet.',

  // Payment links.

  // Refund claims.

  // Wallets in the browser.

  // E-mails.
};
