import * as vscode from 'vscode';

const msPerHour = 60 * 60 * 1_000;

/** The local day of a moment, as a key that can be sorted. */
export function dayOf(at: number): string {
  const date = new Date(at);
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}

/** `Yesterday`, or weekday and date as people of this language write them. */
export function dayWords(at: number, now: number): string {
  const today = new Date(now);
  const noon = new Date(today.getFullYear(), today.getMonth(), today.getDate(), 12).getTime();
  // From noon it is yesterday whatever the clocks did over night.
  if (dayOf(at) === dayOf(noon - 24 * msPerHour)) return vscode.l10n.t('Yesterday');
  const isThisYear = new Date(at).getFullYear() === today.getFullYear();
  return new Intl.DateTimeFormat(vscode.env.language, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(isThisYear ? {} : { year: 'numeric' }),
  }).format(at);
}

/** Hours and minutes as people of this language write them. */
export function clockWords(at: number): string {
  return new Intl.DateTimeFormat(vscode.env.language, { timeStyle: 'short' })
    .format(at)
    .replaceAll(/\s/g, ' ');
}
