import type { ListOptions } from '../client';
import { listAllSkills, type SkillList } from '../skills/skill';
import { CachedList } from './cachedList';
import type { ResourceWiring } from './resourceRequests';

/** The request that lists skills. Their files are resources. Spec: SEP-2640 */
export class SkillRequests {
  readonly #send: ResourceWiring['send'];
  readonly #list: CachedList<SkillList>;

  constructor({ send, ttlOf }: ResourceWiring) {
    this.#send = send;
    this.#list = new CachedList({
      method: 'skills/list',
      key: 'skills',
      ttlOf,
      listAll: listAllSkills,
    });
  }

  async list(options: ListOptions | undefined): Promise<SkillList> {
    const known = options?.isRefresh === true ? undefined : this.#list.current;
    return known ?? this.#list.load((...page) => this.#send(...page, options));
  }
}
