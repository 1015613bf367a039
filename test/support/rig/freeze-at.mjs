// Preloaded into a worker process by `freezeAt`: the process stops itself (SIGSTOP), once, at the named step. What the
// step names has not happened yet: no byte of it has left; but `reported` is right after. A test then kills the process,
// or wakes it.
import { createRequire } from 'node:module';
import net from 'node:net';
import { isMainThread } from 'node:worker_threads';

const { RIG_FREEZE_AT: step, RIG_FREEZE_MATCH: match = '', RIG_FREEZE_PORT: port } = process.env;
let passes = Number(process.env.RIG_FREEZE_PASSES ?? 0);

function freeze() {
  passes -= 1;
  if (passes === -1) process.kill(process.pid, 'SIGSTOP');
}

/** Before a message of that name leaves for Temporal, or once it was taken; names are length-prefixed in a request. */
function atMessage(rpc, name, when) {
  const require = createRequire(createRequire(import.meta.url).resolve('@temporalio/client'));
  const { Client } = require('@grpc/grpc-js');
  const makeUnaryRequest = Reflect.get(Client.prototype, 'makeUnaryRequest');
  const wanted = Buffer.from([name.length, ...Buffer.from(name)]);
  Client.prototype.makeUnaryRequest = function (path, serialize, deserialize, argument, ...rest) {
    const bytes = Buffer.from(serialize(argument));
    if (path.endsWith(`/${rpc}`) && bytes.includes(wanted) && bytes.includes(match)) {
      if (when === 'before') freeze();
      else rest.push(frozenFirst(rest.pop()));
    }
    return makeUnaryRequest.call(this, path, serialize, deserialize, argument, ...rest);
  };
}

function frozenFirst(callback) {
  return (...answer) => {
    freeze();
    callback(...answer);
  };
}

/** Before a connection to the service is made. */
function beforeConnect() {
  const { connect } = net;
  net.connect = function (...args) {
    if (String(args[0]?.port) === port) freeze();
    return connect.apply(this, args);
  };
}

if (isMainThread) {
  if (step === 'claim') atMessage('UpdateWorkflowExecution', 'claim', 'before');
  if (step === 'report') atMessage('SignalWorkflowExecution', 'report', 'before');
  if (step === 'reported') atMessage('SignalWorkflowExecution', 'report', 'after');
  if (step === 'connect') beforeConnect();
}
