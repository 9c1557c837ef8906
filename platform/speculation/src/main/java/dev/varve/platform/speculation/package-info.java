/**
 * Speculative decoding without a model: guesses from the text itself, how often guesses turn out
 * right, what steps of so many tokens cost, and how many guesses are worth it. Knows neither
 * requests nor shards.
 */
package dev.varve.platform.speculation;
