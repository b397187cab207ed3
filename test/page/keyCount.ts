import type { Page } from 'playwright-core';
import { pressDialog } from './dialog';
import { eventually } from '../waiting';
import {
  acceptQuickInput,
  readQuickInput,
  runCommand,
  waitForQuickInputFocus,
  type QuickInput,
} from './quickInput';
import { waitForInput } from './toolgate';

/** A person with nothing but a keyboard, and how often they had to do something. */
export class KeyCount {
  readonly #page: Page;
  #count = 0;

  constructor(page: Page) {
    this.#page = page;
  }

  get count(): number {
    return this.#count;
  }

  /** One key. */
  async press(key: string): Promise<void> {
    this.#count += 1;
    await this.#page.keyboard.press(key);
  }

  /** Enter in the open quick input. */
  async accept(): Promise<void> {
    this.#count += 1;
    await acceptQuickInput(this.#page);
  }

  /** One word or sentence, whatever its length. */
  async type(text: string): Promise<void> {
    this.#count += 1;
    await this.#page.keyboard.type(text);
  }

  /** From the list of tools, which is opened without being counted: the name with `values`, and Enter. */
  async choose(tool: string, values = ''): Promise<void> {
    await runCommand(this.#page, 'Toolgate: Call Tool…');
    await waitForInput(this.#page, 'Call Tool');
    await this.type(tool + values);
    await eventually(
      () => readQuickInput(this.#page),
      ({ items }) => items[0]?.label !== undefined && items.some(({ label }) => label === tool),
    );
    await this.accept();
  }

  /** Whatever is typed replaces what stands in the question. */
  async answer(isIt: (input: QuickInput) => boolean, text: string): Promise<void> {
    await eventually(() => readQuickInput(this.#page), isIt);
    await waitForQuickInputFocus(this.#page);
    await this.type(text);
    await eventually(
      () => readQuickInput(this.#page),
      ({ value }) => value === text,
    );
    await this.accept();
  }

  /** Run in the question before the call; one key, as the button has the focus. */
  async approve(): Promise<void> {
    this.#count += 1;
    await pressDialog(this.#page, 'Run');
  }
}
