import * as l10n from '@vscode/l10n';
import { withoutSecrets } from '../../core/arguments/argumentsText';
import { readArgumentsText } from '../../core/arguments/argumentsJson';
import { toArguments, toDrafts, type Drafts } from '../../core/arguments/fieldDrafts';
import type { FormField } from '../../core/arguments/inputField';
import { planFields } from '../../core/arguments/inputFields';
import type { SchemaValidator } from '../../core/schema/schema';
import type { JsonObject } from '../../core/json/jsonValue';
import { visibleText } from '../../core/visibleText';
import type { ToolEntry } from '../../host/connections/snapshot';
import type { AnswerValues } from '../../host/history/answerValues';
import { toolTitle } from '../format/toolTitle';
import { answerOffers } from './fieldOffers';
import type { ArgumentDocuments, CallTarget } from './argumentDocuments';
import {
  withoutSecretDrafts,
  type ArgumentMemory,
  type RememberedArguments,
  argumentsText,
} from './argumentMemory';
import { ArgumentPage, type ArgumentPageOptions } from './argumentPage';
import { unnamedSentence } from '../format/formatArguments';
import { chooseInQuickPick } from './rowPrompt';

interface ArgumentEntryOptions {
  readonly validator: Pick<SchemaValidator, 'validate'>;
  readonly memory: ArgumentMemory;
  readonly documents: Pick<ArgumentDocuments, 'open' | 'reveal'>;
  /** Values that a server returned, by name. */
  readonly answers: Pick<AnswerValues, 'find'>;
}

const maxLabelChars = 60;

/** Lets the user enter the arguments of a tool in the way that suits its schema. */
export class ArgumentEntry {
  readonly #options: ArgumentEntryOptions;

  constructor(options: ArgumentEntryOptions) {
    this.#options = options;
  }

  /**
   * Returns the arguments, or `undefined` if the user cancels or continues in a document, which
   * calls the tool itself. Has Back only if `hasBefore` is set. Starts with `known`, which defaults
   * to the last arguments.
   */
  async enter(
    target: CallTarget,
    { tool }: ToolEntry,
    serverLabel: string,
    hasBefore = false,
    known?: Drafts,
  ): Promise<JsonObject | 'back' | undefined> {
    const { documents, answers } = this.#options;
    const plan = planFields(tool.inputSchema);
    // It returns an empty object, because servers that check arguments mostly refuse absent ones.
    if (plan.kind === 'none') return {};
    const names = [toolTitle(tool), serverLabel].map((each) => visibleText(each, maxLabelChars));
    const title = l10n.t('{0} ({1})', ...names);
    if (plan.kind === 'unnamed') {
      const answer = await askUnnamed(title, hasBefore);
      if (answer === 'nothing') return {};
      if (answer !== 'document') return answer;
    }
    const begin = await this.#begin(
      target,
      plan.kind === 'fields' ? plan.fields : undefined,
      known,
    );
    if (plan.kind !== 'fields' || begin.kind === 'text') {
      const text = begin.kind === 'text' ? begin.text : argumentsText(tool.inputSchema, {});
      if (!(await documents.reveal(target))) await documents.open(target, text);
      return undefined;
    }
    const { fields, others } = plan;
    return this.#showPage(target, {
      title,
      schema: tool.inputSchema,
      fields,
      others,
      drafts: begin.drafts,
      offersOf: (field: FormField) =>
        answerOffers(field, answers.find(target.serverId, field.name)),
      hasBefore,
    });
  }

  /**
   * Opens the entered values as a document, which shows its problems. Secrets of the schema are
   * left out, because a document cannot mask them and the user did not ask to see them. The value
   * of `property` is selected.
   */
  async openDocument(
    target: CallTarget,
    schema: JsonObject,
    known: JsonObject,
    property?: string,
  ): Promise<void> {
    const shown = withoutSecrets(schema, known);
    await this.#options.documents.open(target, argumentsText(schema, shown), property);
  }

  async #showPage(
    target: CallTarget,
    page: Omit<ArgumentPageOptions, 'validator'>,
  ): Promise<JsonObject | 'back' | undefined> {
    const { validator, memory } = this.#options;
    const { kind, drafts } = await new ArgumentPage({ ...page, validator }).ask();
    const { serverId, toolName, isForeign } = target;
    if (isForeign !== true) memory.set(serverId, toolName, { kind: 'drafts', drafts });
    const value = toArguments(page.fields, drafts);
    if (kind === 'document') await this.openDocument(target, page.schema, value);
    if (kind === 'back') return kind;
    return kind === 'done' ? value : undefined;
  }

  /** Returns the known or last arguments as fields if the fields can express them. */
  async #begin(
    { serverId, toolName }: CallTarget,
    fields: readonly FormField[] | undefined,
    known?: Drafts,
  ): Promise<RememberedArguments> {
    if (known !== undefined) {
      return { kind: 'drafts', drafts: withoutSecretDrafts(fields ?? [], known) };
    }
    const remembered = await this.#options.memory.recall(serverId, toolName);
    if (remembered === undefined) return { kind: 'drafts', drafts: new Map() };
    if (remembered.kind === 'drafts' || fields === undefined) return remembered;
    const { value } = readArgumentsText(remembered.text);
    const drafts = value === undefined ? undefined : toDrafts(fields, value);
    return drafts === undefined ? remembered : { kind: 'drafts', drafts };
  }
}

/** `undefined` if the user cancels. */
type UnnamedAnswer = 'document' | 'nothing' | 'back' | undefined;

/** Asks how to call a tool whose schema names no arguments but allows any. */
export async function askUnnamed(title: string, hasBack: boolean): Promise<UnnamedAnswer> {
  const chosen = await chooseInQuickPick<'document' | 'nothing'>({
    title,
    message: '',
    placeholder: unnamedSentence(),
    groups: [
      {
        heading: '',
        rows: [
          { icon: 'json', label: l10n.t('Enter as JSON'), answer: 'document' },
          { icon: 'play', label: l10n.t('Call Without Arguments'), answer: 'nothing' },
        ],
      },
    ],
    hasBack,
  });
  if (chosen.kind === 'chosen') return chosen.answer;
  return chosen.kind === 'back' ? 'back' : undefined;
}
