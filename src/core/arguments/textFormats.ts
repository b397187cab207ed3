/**
 * True if `text` has the given format. Checks the four formats that forms may use, and `uuid`; any
 * text fits other formats. Not stricter than servers: an address is checked by its shape only.
 *
 * Spec: 2025-11-25 client/elicitation, StringSchema
 */
export function fitsFormat(format: string, text: string): boolean {
  switch (format) {
    case 'email':
      return isEmail(text);
    case 'uri':
      return /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]+$/i.test(text) && URL.canParse(text);
    case 'date':
      return isDate(text);
    case 'date-time':
      return isDateTime(text);
    case 'uuid':
      return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
    default:
      return true;
  }
}

/** The longest address that mail systems accept. */
const maxEmailChars = 254;

function isEmail(text: string): boolean {
  return text.length <= maxEmailChars && /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)*$/.test(text);
}

/** RFC 3339 `full-date`; the day has to exist. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(text);
  // A day that does not exist gives another date, or none.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** RFC 3339 `date-time` with its offset. Allows a 60th second for leap seconds. */
function isDateTime(text: string): boolean {
  const match = /^(.{10})[T ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|[+-](\d\d):(\d\d))$/i.exec(text);
  if (match === null) return false;
  const [, date = ''] = match;
  const [hour = 0, minute = 0, second = 0, offsetHour = 0, offsetMinute = 0] = match
    .slice(2)
    .map((part) => Number(part ?? 0));
  const isTime = hour <= 23 && minute <= 59 && second <= 60;
  return isDate(date) && isTime && offsetHour <= 23 && offsetMinute <= 59;
}
