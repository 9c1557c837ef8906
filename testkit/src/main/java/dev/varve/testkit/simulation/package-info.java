/**
 * Runs code of the product deterministically: one seed chooses the order in which its threads
 * continue, and a simulated clock says what time it is. Start with {@link Seeds}.
 */
package dev.varve.testkit.simulation;
