// Preloaded into a worker process by `holdAt`: at the named steps, messages that hold a text are kept in the process until
// SIGUSR2 lets them go on, while everything else goes on. `RIG_HOLD` is a JSON list of { step, match }. A line
// `rig: holding STEP MATCH` says that a step was reached.
import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/** Before a message leaves for Temporal, or once it was answered. */
const steps = {
  taken: { rpc: 'UpdateWorkflowExecution', name: 'claim', when: 'before' },
  claimed: { rpc: 'UpdateWorkflowExecution', name: 'claim', when: 'after' },
  answered: { rpc: 'SignalWorkflowExecution', name: 'report', when: 'before' },
  reported: { rpc: 'SignalWorkflowExecution', name: 'report', when: 'after' },
};

const held = [];
let isReleased = false;

/** Goes on at once after the release; each hold takes the first message that it matches. */
function hold(hold, goOn) {
  hold.isUsed = true;
  process.stderr.write(`rig: holding ${hold.step} ${hold.match}\n`);
  held.push(goOn);
}

if (isMainThread) {
  const holds = JSON.parse(process.env.RIG_HOLD ?? '[]');
  process.on('SIGUSR2', () => {
    isReleased = true;
    for (const goOn of held.splice(0)) goOn();
  });
  const require = createRequire(createRequire(import.meta.url).resolve('@temporalio/client'));
  const { Client } = require('@grpc/grpc-js');
  const makeUnaryRequest = Reflect.get(Client.prototype, 'makeUnaryRequest');
  Client.prototype.makeUnaryRequest = function (path, serialize, deserialize, argument, ...rest) {
    const send = () => makeUnaryRequest.call(this, path, serialize, deserialize, argument, ...rest);
    if (isReleased) return send();
    const bytes = Buffer.from(serialize(argument));
    const found = holds.find(({ step, match, isUsed }) => {
      const { rpc, name } = steps[step];
      // Names are length-prefixed in a request.
      const wanted = Buffer.from([name.length, ...Buffer.from(name)]);
      return !isUsed && path.endsWith(`/${rpc}`) && bytes.includes(wanted) && bytes.includes(match);
    });
    if (!found) return send();
    if (steps[found.step].when === 'before') {
      hold(found, send);
      return { cancel() {}, getPeer: () => '', call: undefined };
    }
    const callback = rest.pop();
    rest.push((...answer) => (isReleased ? callback(...answer) : hold(found, () => callback(...answer))));
    return send();
  };
}
