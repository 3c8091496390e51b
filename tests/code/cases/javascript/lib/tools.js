import Store from './store.js';

export function twice(n) { return n * 2; }

export const half = (n) => n / 2;

export async function later() {
  return new Store(); // -> Store.constructor
}
