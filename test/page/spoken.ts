import type { Locator, Page } from 'playwright-core';
import { eventually } from '../waiting';

// What a screen reader says. Every function waits for what it needs.

/** What has the focus, which lists and pickers leave on themselves and say which row it is on. */
async function focused(page: Page): Promise<Locator> {
  const holder = page.locator(':focus').last();
  const row = await holder.getAttribute('aria-activedescendant').catch(() => null);
  return row === null || row === '' ? holder : page.locator(`[id="${row}"]`);
}

/** What stands in its description, which is said after the name. */
async function describe(page: Page, of: Locator): Promise<string> {
  const ids = (await of.getAttribute('aria-describedby').catch(() => null)) ?? '';
  const texts = ids
    .split(' ')
    .filter((id) => id !== '')
    .map((id) => page.locator(`[id="${id}"]`).textContent({ timeout: 1_000 }));
  return (await Promise.all(texts).catch(() => [])).join(' ').trim();
}

/** Role, name and description of what has the focus, as `button "Run"`; `''` while nothing has it. */
async function peekSpoken(page: Page): Promise<string> {
  const one = await focused(page);
  const snapshot = await one.ariaSnapshot({ timeout: 1_000 }).catch(() => '');
  // Names with a colon stand in single quotes.
  const [name = ''] = /(?<=^- '?)\w+(?: "(?:[^"\\]|\\.)*")?/.exec(snapshot) ?? [];
  return `${name} ${await describe(page, one)}`.trim();
}

/** Waits until what has the focus is said like this; gives the words. */
export function waitForSpoken(page: Page, words: RegExp): Promise<string> {
  return eventually(
    () => peekSpoken(page),
    (now) => words.test(now),
  );
}

/** The dialog that is open: its role and name, and all that is in it, line by line. */
export function spokenDialog(page: Page): Promise<string> {
  return page.locator('.monaco-dialog-box').ariaSnapshot();
}
