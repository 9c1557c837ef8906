/** Tools of the kit that takes Varve to a machine with a card: see {@code tools/gpu-kit}. */
package dev.varve.bench.kit;
