import * as vscode from 'vscode';
import { classifyLink } from '../../core/content/linkTarget';
import { commands } from '../../ids';
import { definitionVerbs, type DefinitionVerb, type ToPage } from '../../page/pageMessages';
import type { PagePanel } from '../answerPage/answerPages';
import { parsePageMessage } from '../answerPage/parsePageMessage';
import { openInAllowedEditor } from '../editor/allowedEditors';
import { keepTab } from '../editor/resultTabs';
import { markOwnArgument } from '../editor/ownArguments';
import { askInDialog } from '../editor/askInDialog';
import { openOutside } from '../results/linkOpening';
import type { DefinitionPage } from './definitionPage';
import { goneSentence, type DefinitionFacts } from './definitionText';

interface DefinitionPanelOptions {
  readonly uri: vscode.Uri;
  /** Resolves to `undefined` if the tool is not listed. */
  readonly read: () => Promise<DefinitionFacts | undefined>;
  readonly send: (message: ToPage) => void;
}

/** The definition that a page shows, and the text by which a change is noticed. */
interface Shown {
  readonly facts: DefinitionFacts;
  readonly page: DefinitionPage;
  readonly text: string;
}

/** Answers the messages of a page that shows the definition of a tool. */
export class DefinitionPanel implements PagePanel {
  readonly #options: DefinitionPanelOptions;
  #isReady = false;
  #edition = 0;
  #shown: Shown | undefined;
  #reading: Promise<void> = Promise.resolve();
  /** True while a refresh waits for the reading before it, so that a busy server makes no queue. */
  #isRefreshing = false;

  constructor(options: DefinitionPanelOptions) {
    this.#options = options;
  }

  async refresh(): Promise<void> {
    if (!this.#isReady || this.#isRefreshing) return;
    this.#isRefreshing = true;
    await this.#reading;
    this.#isRefreshing = false;
    await this.#show(this.#shown?.text);
  }

  async take(message: unknown): Promise<void> {
    const asked = parsePageMessage(message);
    if (asked?.type === 'ready') {
      this.#isReady = true;
      return this.#show(undefined);
    }
    const shown = this.#shown;
    if (asked === undefined || shown === undefined) return;
    if (asked.type === 'headVerb') {
      const verb = definitionVerbs.find((each) => each === asked.verb);
      return verb && this.#act(verb, shown.facts);
    }
    // The page may still show an earlier definition.
    if (asked.edition !== this.#edition) return;
    if (asked.type === 'blocks') {
      const { edition, from } = asked;
      const blocks = shown.page.parts.slice(from).map(({ block }) => block);
      this.#options.send({ type: 'blocks', edition, from, blocks });
    } else if (asked.type === 'link') {
      const link = shown.page.parts[asked.number]?.links[asked.link];
      if (link !== undefined) await this.#follow(link, shown.facts.entry.serverId);
    }
  }

  /** Shows the definition unless the page shows it already, which `known` says. */
  #show(known: string | undefined): Promise<void> {
    const reading = this.#reading.then(async () => {
      const { definitionPage } = await import('./definitionPage');
      const facts = await this.#options.read();
      const page = facts && (await definitionPage(facts));
      const text = JSON.stringify(page);
      if (known !== undefined && known === text) return;
      this.#edition += 1;
      if (facts === undefined || page === undefined) {
        this.#shown = undefined;
        return this.#options.send({ type: 'gone', sentence: goneSentence() });
      }
      this.#shown = { facts, page, text };
      this.#options.send({ type: 'answer', edition: this.#edition, head: page.head });
    });
    // A definition that cannot be read must not keep the next one from being shown.
    this.#reading = reading.catch(() => undefined);
    return reading;
  }

  /** Asks before a link leaves the server. Other links are read from the server, which asks too. */
  async #follow(link: string, serverId: string): Promise<void> {
    if (classifyLink(link).kind !== 'server') return openOutside(link, askInDialog);
    await keepTab(this.#options.uri);
    const target = markOwnArgument({ serverId, uri: link });
    await vscode.commands.executeCommand(commands.openResource, target);
  }

  async #act(verb: DefinitionVerb, { entry }: DefinitionFacts): Promise<void> {
    if (verb === 'text') {
      await keepTab(this.#options.uri);
      return openInAllowedEditor(this.#options.uri, undefined, { preview: true });
    }
    const target = markOwnArgument({ serverId: entry.serverId, toolName: entry.tool.name });
    await vscode.commands.executeCommand(commandsOfTool[verb], target);
  }
}

const commandsOfTool = {
  call: commands.callTool,
  showChanges: commands.showToolChanges,
  acceptChanges: commands.acceptToolChanges,
  enable: commands.enableTool,
  setRisk: commands.setRisk,
  setForAgents: commands.setForAgents,
  runAsTask: commands.runAsTask,
  runDirectly: commands.runDirectly,
  openApp: commands.openApp,
  disable: commands.disableTool,
  copyName: commands.copyToolName,
} as const;
