import { runScenario } from './scenario.js';

/** Whoever drives the page finds the scenario here. */
Object.assign(globalThis, { runScenario });
