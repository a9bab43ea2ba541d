// Loaded before the client: waits for its turn. The suite starts the clients of all scenarios at once, and some scenarios
// measure times, which say nothing while forty processes want the same processors.
import { once } from 'node:events';
import { connect } from 'node:net';

// The connection is held until this process ends, and that is what ends the turn.
const gate = connect(Number(process.env.CONFORMANCE_GATE), '127.0.0.1');
await once(gate, 'data');
gate.unref();
