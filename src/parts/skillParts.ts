import type * as vscode from 'vscode';
import type { Skill } from '../core/skills/skill';
import type { ServerRegistry } from '../host/connections/registry';
import {
  type SkillConnection,
  skillKind,
  type SkillLists,
  ServerLists,
} from '../host/resources/serverLists';
import type { Pins } from '../host/consent/pins/pins';
import { SkillPins } from '../host/resources/skillPins';
import { skillNote, tooLargeSentence } from '../ui/format/formatSkill';
import type { Results } from '../ui/results/results';
import type { SkillChecks } from '../ui/results/resourceDocuments';
import { registerSkillCommands } from '../ui/skills/skillCommands';

/** Skills besides their rows: lists, commands, and the comparison of what is read. */
export class SkillParts implements vscode.Disposable {
  readonly lists: SkillLists;
  readonly pins: SkillPins;
  readonly checks: SkillChecks;
  readonly #registry: ServerRegistry;

  /** @param pins the accepted skills */
  constructor(registry: ServerRegistry, pins: Pins) {
    this.#registry = registry;
    this.lists = new ServerLists<Skill, SkillConnection>(registry, skillKind);
    this.pins = new SkillPins({ registry, lists: this.lists, pins });
    const listed = (serverId: string): readonly Skill[] => this.lists.of(serverId).entries;
    this.checks = {
      refusal: (serverId, uri) => tooLargeSentence(listed(serverId), uri),
      note: (serverId, uri, contents) => skillNote(listed(serverId), uri, contents),
    };
  }

  register({ resources }: Pick<Results, 'resources'>): vscode.Disposable {
    return registerSkillCommands({ registry: this.#registry, lists: this.lists, resources });
  }

  dispose(): void {
    this.pins.dispose();
    this.lists.dispose();
  }
}
