/**
 * Runs code of the product deterministically: one seed chooses the order in which its threads
 * continue, and a simulated clock gives the time. Start with {@link Seeds}.
 */
package dev.varve.testkit.simulation;
