import { EventEmitter } from 'node:events';

export default class Store extends EventEmitter {
  #items = [];
  handlers = {};

  constructor() {
    super();
    this.#reset(); // -> Store.#reset
  }

  #reset() { this.#items = []; }

  get size() { return this.count(); } // -> Store.count

  count = () => this.#items.length;

  on(name, handler) {
    this.handlers[name] = handler;
    return this;
  }

  add(item) {
    this.#items.push(item);
    this.handlers['added'](item); // -> run.store.on added
  }
}

export class Level {
  static of(name) { return new this(name); }

  name() { return 'level'; }
}

export const make = () => new Store(); // -> Store.constructor
