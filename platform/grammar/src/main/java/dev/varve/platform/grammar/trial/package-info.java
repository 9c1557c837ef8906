/**
 * Measures and checks of schemas with values that are known to be valid or not: what {@code varve
 * grammar test} prints.
 */
package dev.varve.platform.grammar.trial;
