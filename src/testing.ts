export type { ContractCase } from './testing/contract.js';
export type {
  Fault,
  FaultKind,
  FaultMatch,
  FaultPlan,
  FaultRule,
  FaultScript,
  RandomFaults,
} from './testing/faults/plan.js';
export type { Cancellation, EffectRun, FaultRequest } from './testing/faults/records.js';
export { type FaultServer, type FaultServerOptions, faultServer } from './testing/faults/server.js';
export { storeContract } from './testing/store-contract.js';
