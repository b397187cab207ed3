import { SchemaValidator } from '../../src/core/schema/schema';
import { Gate, type GateOptions } from '../../src/host/calls/gate';
import { RunningCalls } from '../../src/host/calls/runningCalls';
import { callLimits } from './callLimits';
import type { SteeredConsent } from './steeredConsent';

type Given = 'confirm' | 'registry';

/** The real gate, with consent and journal as the test lays them down. */
export const gateWith = (
  steered: SteeredConsent,
  given: Pick<GateOptions, Given> & Partial<Omit<GateOptions, Given>>,
): Gate =>
  new Gate({
    validator: new SchemaValidator(),
    consent: steered.consent,
    journal: steered,
    calls: new RunningCalls(),
    limits: () => callLimits(60_000),
    ...given,
  });
