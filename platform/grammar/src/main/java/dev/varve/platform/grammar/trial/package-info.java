/**
 * Measures and checks schemas with values that are known to be valid or not: the output of {@code
 * varve grammar test}.
 */
package dev.varve.platform.grammar.trial;
