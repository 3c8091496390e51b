import Store, { make as create, Level } from './lib/store.js';
import * as tools from './lib/tools.js';
const legacy = require('./lib/legacy');

const helper = () => 1;
const shared = { read() { return helper(); }, nested: { deep: () => shared.read() } }; // -> helper, shared.read

const on = 0;

function outer({ pick, on = tools.twice }, [, second]) {
  pick(); // -> pick
  on(2); // -> twice
  second(); // -> late
  if (true) {
    early(); // -> outer.early
    function early() {}
  }
  const { read } = shared;
  read(); // -> shared.read
}

outer({ pick: function own() { late(); } }, [0, late]); // -> outer, late

function late() {}

function Counter(start) {
  this.count = start;
  this.add = function () { return this.step(); }; // -> Counter.constructor.step
  this.step = function step() { late(); }; // -> late
}

function run() {
  const counter = new Counter(1); // -> Counter.constructor
  counter.add(); // -> Counter.constructor.add
  const byName = new Map([['a', late]]);
  byName.set('b', helper);
  byName.get('b')(); // -> late, helper
  for (const each of byName.values()) each(); // -> late, helper
  shared.nested.deep(); // -> shared.nested.deep
  const store = new Store(); // -> Store.constructor
  store.on('added', () => late()).add(1); // -> late, Store.on, Store.add, run.store.on added
  create().size; // -> make, Store.size
  Level.of('low').name(); // -> Level.of, Level.name
  tools.twice(tools.half(2)); // -> twice, half
  legacy.start().stop(); // -> start, stop
  const bound = store.add.bind(store);
  bound(2); // -> Store.add
  late.call(null); // -> late
  [late].forEach((f) => f()); // -> late
  Promise.resolve(new Store()).then((s) => s.add(3)); // -> Store.constructor
  (async () => { (await tools.later()).add(4); })(); // -> later, Store.add
  store?.add?.(5); // -> Store.add
  Base.prototype.speak.apply(store); // -> Base.speak
  new Derived().speak(); // -> Derived.constructor, Base.speak
}

function Base() {}
Base.prototype = { speak() {} };
function Derived() {}
Object.setPrototypeOf(Derived.prototype, Base.prototype);

(function () {
  function inside() { again(); } // -> <lambda1>.again
  function again() {}
  inside(); // -> <lambda1>.inside
})();
