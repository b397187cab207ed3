import * as l10n from '@vscode/l10n';
import { windowFacts } from './windowFacts';

// All formats of times and durations. Sentences that contain them are where they are used.

const msPerHour = 60 * 60 * 1_000;

/** Formats how long something took or may take. */
export function formatDuration(ms: number): string {
  return ms < 1000 ? l10n.t('{0} ms', Math.round(ms)) : l10n.t('{0} s', formatDecimal(ms / 1000));
}

/** Rounded to whole seconds and minutes, because it is updated while it is shown. */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return l10n.t('{0} s', seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return l10n.t('{0} min {1} s', minutes, seconds % 60);
  return l10n.t('{0} h {1} min', Math.floor(minutes / 60), minutes % 60);
}

/** Rounded to minutes from one minute on, because the text is not updated continuously. */
export function formatUptime(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes === 0) return l10n.t('{0} s', Math.floor(ms / 1_000));
  if (minutes < 60) return l10n.t('{0} min', minutes);
  return l10n.t('{0} h {1} min', Math.floor(minutes / 60), minutes % 60);
}

/** Has one decimal place below 10. */
export function formatDecimal(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0);
}

/** Local date and time, the same in every language so that it can be sorted and searched. */
export function formatTime(at: number): string {
  const date = new Date(at);
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
  return `${dayOf(at)} ${time}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** Formats date and time for the display language. */
export function formatDate(at: number): string {
  return new Intl.DateTimeFormat(windowFacts().language, {
    dateStyle: 'medium',
    timeStyle: 'short',
  }).format(at);
}

/** Returns the local day as a key that can be sorted. */
export function dayOf(at: number): string {
  const date = new Date(at);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(two).join('-');
}

/** Returns `Yesterday`, or weekday and date for the display language. */
export function formatDay(at: number, now: number): string {
  const today = new Date(now);
  const noon = new Date(today.getFullYear(), today.getMonth(), today.getDate(), 12).getTime();
  // Subtracting a day from noon gives yesterday even if the clocks changed overnight.
  if (dayOf(at) === dayOf(noon - 24 * msPerHour)) return l10n.t('Yesterday');
  const isThisYear = new Date(at).getFullYear() === today.getFullYear();
  return new Intl.DateTimeFormat(windowFacts().language, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(isThisYear ? {} : { year: 'numeric' }),
  }).format(at);
}

/** Hours and minutes, short and the same in every language. */
export function formatHour(at: number): string {
  return formatTime(at).slice(-8, -3);
}
